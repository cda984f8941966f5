// Options of bert-search for an index of files that is kept up to date, and for queries on the command line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "cli/app.h"
#include "options/model_options.h"
#include "options/stream_options.h"
#include "options/word_search_options.h"
#include "search/index_folder.h"
#include "search/options.h"
#include "search/refresh.h"

namespace bert::cmd {

class FolderIndexOptions {
 public:
  explicit FolderIndexOptions(cli::App& app);
  FolderIndexOptions(const FolderIndexOptions&) = delete;

  bool indexes() const { return !inputs_.empty(); }

  // To be called by a check, when the options of the stream are complete.
  void settle(StreamOptions& stream);

  // Refreshes the index, if there are files to index, and names its vectors and records in the options, if it
  // is a folder, and its models, if no others are given. Until it has been opened, the descriptor has to stay
  // open.
  FileDescriptor open(search::Options& options, StreamOptions& stream, ModelOptions& model,
                      WordSearchOptions& words);

  // How files other than FILE are read.
  const io::StreamOptions& files() const { return files_; }

 private:
  bool is_for_files(std::string_view name, const io::StreamOptions& settings) const;
  void create(const search::IndexFolder& folder) const;
  std::string default_folder(const std::string& settings, const search::Options& options, ModelOptions& model,
                             WordSearchOptions& words) const;
  search::RefreshOptions refresh_options(const search::Options& options, const StreamOptions& stream,
                                         const std::string& settings) const;

  cli::App& app_;
  std::vector<std::string> inputs_, queries_;
  bool rebuild_ = false;
  io::StreamOptions files_;  // how inputs_ are read, and in part the records of other indexes
};

}  // namespace bert::cmd
