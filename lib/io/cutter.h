// Splits the bytes of one FILE into records.
#pragma once

#include <cstddef>
#include <cstdint>

#include "io/csv.h"
#include "io/input.h"
#include "io/record.h"

namespace bert::io {

bool is_white(char c);                 // isspace in the C locale: form feed and vertical tab too
bool is_blank(std::string_view text);  // nothing but white space
std::string_view without_line_end(std::string_view line);  // drops one LF, and one CR before it
// Strips white space around a record that JSON does not allow (form feed, vertical tab).
std::string_view json_part(std::string_view line);

struct ChunkLimits {
  size_t bytes, records;  // a chunk is full when it reaches either
};

class Cutter {
 public:
  // `line` is the number of the first line that `input` will return.
  //
  // If a quote of CSV is not closed, or closed by a quote that text follows, the line where it opens is a
  // record by itself, and the next record begins at the next line.
  Cutter(Input& input, const Source& source, int64_t line, ChunkLimits limits)
      : input_(input), format_(source.format), limits_(limits), line_(line), csv_(source.delimiter) {}

  // Waits for at least one record, then adds those that can be read without waiting until `chunk` is full.
  // False at the end of the input. A read failure is stored in chunk.failure.
  bool fill(Chunk& chunk);

 private:
  bool full(const Chunk& chunk) const;
  void cut_complete(Chunk& chunk);
  void cut_last(Chunk& chunk);
  size_t line_end(std::string_view unread);
  void cut_line(Chunk& chunk, std::string_view unread, size_t line_end);
  bool cut_open_quote(Chunk& chunk, std::string_view quoted, Cut::Quote quote);
  bool is_whole_file() const;
  bool ends_at_blank_lines() const;
  bool separates(std::string_view line) const;
  void end_paragraph(Chunk& chunk);
  void take_data(Chunk& chunk);
  void consume_done();

  static constexpr size_t kNone = -1;

  Input& input_;
  InputFormat format_;
  ChunkLimits limits_;
  int64_t line_;  // number of the line at line_begin_
  CsvScanner csv_;

  // Offsets into input_.unread().
  size_t line_begin_ = 0;  // bytes before it have been cut or skipped
  size_t searched_ = 0;    // [line_begin_, searched_) contains no line end
  size_t done_ = 0;        // bytes to consume: up to line_begin_, less if a paragraph or document is open
  size_t paragraph_begin_ = kNone, paragraph_end_ = 0;
  int64_t paragraph_line_ = 0;
  bool starts_document_ = false;  // -DOCSTART- or # newdoc was read after the last paragraph
};

}  // namespace bert::io
