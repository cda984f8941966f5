// Neighbors as lines of their files, in the form of grep.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "io/stream.h"

namespace bert::search {

struct LinesOptions {
  enum class Show { lines, files, counts } show = Show::lines;
  std::optional<int64_t>
      context;  // number of lines before and after all lines of each neighbor; none: its first line
  bool colored = false;
  bool null = false;          // NUL after the name of a file, instead of ":" or the line's end
  std::string encoding = {};  // of the files; "": UTF-8
};

// A part of a file. Its text may be unknown: "".
struct Passage {
  std::string file;
  int64_t first = 0, last = 0;  // lines, from 1
  std::string text;
};

class LineWriter {
 public:
  // `stream`: how the files are read.
  LineWriter(const LinesOptions& options, const io::StreamOptions& stream)
      : options_(options), stream_(stream) {}

  // The passages in their order: FILE:LINE:TEXT with the first line of each, the text being that of the
  // passage, or that of the file if it is unknown; or with all lines of the file and their context, with "-"
  // instead of ":" for the latter and "--" between passages. Nothing if only files are shown. Any thread may
  // call it. Throws Error if one of the files is the output, which would replace it.
  void append(std::string& out, std::span<const Passage> passages) const;
  // If files are shown: FILE for each that no earlier call had; or counts them.
  void append_new_files(std::string& out, std::span<const Passage> passages);
  void append_counts(std::string& out) const;  // FILE:COUNT, in the order of their first passages
  // What is between the passages of different records: "--" if they have context.
  std::string separator() const;

  // Warnings about files that could not be read again or have changed.
  std::vector<std::string> warnings() const;

 private:
  void append_passage(std::string& out, const Passage& passage) const;
  void append_line(std::string& out, const Passage& passage, int64_t number, std::string_view line) const;
  void append_name(std::string& out, std::string_view file, std::string_view after) const;
  void require_kept(const std::string& file) const;
  bool fits(const Passage& passage, int64_t first, std::span<const std::string> lines) const;
  void warn(const std::string& file, const std::string& what) const;
  std::vector<std::string> read(const Passage& passage, int64_t first, int64_t last) const;
  std::string colored(std::string_view text, std::string_view color) const;

  const LinesOptions options_;
  const io::StreamOptions& stream_;
  std::vector<std::pair<std::string, int64_t>> files_;  // with their number of passages
  std::unordered_map<std::string, size_t> places_;      // in files_
  mutable std::mutex mutex_;
  mutable std::set<std::string> kept_;                   // files that are not the output
  mutable std::map<std::string, std::string> warnings_;  // by file
};

}  // namespace bert::search
