// The fields that are read of the records in files of an index.
#pragma once

#include <string>

#include "io/stream.h"

namespace bert::search {

// Those that the user has named: the text, for which "text" is read where a record does not have it, and the
// second text of a pair. Files of text have no fields.
struct AskedFields {
  std::string text, pair;

  bool operator==(const AskedFields&) const = default;
};

// Whether a file, read as the stream says, has the same records with either of these fields.
bool reads_same(const std::string& path, const io::StreamOptions& stream, const AskedFields& a,
                const AskedFields& b);

}  // namespace bert::search
