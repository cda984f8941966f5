// Splits a FILE at its line ends: text, JSONL and TSV; derived classes read formats whose records have
// several lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "io/record_cutter.h"

namespace bert::io {

bool is_white(char c);                 // isspace in the C locale: form feed and vertical tab too
bool is_blank(std::string_view text);  // nothing but white space
std::string_view without_line_end(std::string_view line);  // drops one LF, and one CR before it
// Strips white space around a record that JSON does not allow (form feed, vertical tab).
std::string_view json_part(std::string_view line);

class LineCutter : public RecordCutter {
 public:
  explicit LineCutter(const CutterOptions& options)
      : input_(options.input),
        limits_(options.limits),
        skips_blank_(options.source.format == InputFormat::jsonl || options.source.located),
        keeps_lines_(options.source.conll.written_back),
        line_(options.line) {}

  bool fill(Chunk& chunk) final;

 protected:
  // The offset behind the next line end that may end a record; npos if there is none yet.
  virtual size_t line_end(std::string_view unread);

  // Called before a line is taken, before more is read and at the end of the input, with the bytes from
  // line_begin_ up to there. True if it has cut something else instead.
  enum class Reached { line_end, all_read, end };
  virtual bool cut_instead(Chunk&, std::string_view, Reached) { return false; }

  // A line without its end; line_begin_ is behind it.
  struct Line {
    std::string_view text;
    size_t begin;
    int64_t number;
  };
  virtual void take(Chunk& chunk, const Line& line);
  virtual void end(Chunk&) {}  // after the last line
  virtual void consume_done();

  Input& input_;
  const ChunkLimits limits_;
  const bool skips_blank_;
  const bool keeps_lines_;  // also those between records, if need be in a chunk without records
  int64_t line_;            // number of the line at line_begin_

  // Offsets into input_.unread().
  size_t line_begin_ = 0;  // bytes before it have been cut or skipped
  size_t searched_ = 0;    // [line_begin_, searched_) contains no line end
  size_t done_ = 0;        // bytes to consume: up to line_begin_, less if a record of several lines is open

 private:
  bool full(const Chunk& chunk) const;
  void cut_complete(Chunk& chunk);
  void cut_line(Chunk& chunk, std::string_view unread, size_t line_end);
};

}  // namespace bert::io
