// Brings an index of files up to date: embeds what is new or has changed, and leaves out what is gone. The
// result is, byte for byte, what an index that is made at once would be.
#pragma once

#include <string>
#include <vector>

#include "base/log.h"
#include "base/pool.h"
#include "io/stream.h"
#include "search/index_folder.h"
#include "search/record_vectors.h"

namespace bert::search {

struct RefreshOptions {
  std::vector<std::string> inputs;  // files, and folders that are walked
  io::StreamOptions stream;         // how files are read; `folders` and `cut` are required
  TextOptions texts;                // open_model is called if there is something to embed; empty: no vectors
  TextOptions weights = {};         // the same for weights of words
  std::string settings;             // see Manifest
  AskedFields fields;               // the same
  bool text_asked = false;          // by an option, not only in the training of the model
  bool rebuild = false;             // embeds all files again; the settings may have changed
};

// The caller has locked the folder for writing. Throws Error if the index has other settings or another model
// than the options. Files that have been embedded are kept if it fails, or the process is killed.
Manifest refresh(const IndexFolder& folder, const RefreshOptions& options, Pool& pool, Log& log);

}  // namespace bert::search
