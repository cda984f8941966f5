// Cuts the bytes of one FILE into records.
#pragma once

#include <cstddef>
#include <cstdint>

#include "io/chunk.h"
#include "io/input.h"

namespace bert::io {

bool is_white(char c);                 // as isspace in the C locale: form feed and vertical tab too
bool is_blank(std::string_view text);  // white through and through
std::string_view without_line_end(std::string_view line);  // drops one LF, and one CR before it

struct ChunkLimits {
  size_t bytes, records;  // a chunk is full when it reaches either
};

class Cutter {
 public:
  // `line` is the number of the first line of what `input` has to give.
  Cutter(Input& input, InputFormat format, int64_t line, ChunkLimits limits)
      : input_(input), format_(format), limits_(limits), line_(line) {}

  // Waits for at least one record and takes along what else has been read or can be read without waiting,
  // until `chunk` is full. False when there is nothing more; a failure to read is left in chunk.failure.
  bool fill(Chunk& chunk);

 private:
  bool full(const Chunk& chunk) const;
  void cut_complete(Chunk& chunk);
  void cut_last(Chunk& chunk);
  void cut_line(Chunk& chunk, std::string_view unread, size_t line_end);
  bool is_whole_file() const;
  bool ends_at_blank_lines() const;
  bool separates(std::string_view line) const;
  void end_paragraph(Chunk& chunk);
  void take_data(Chunk& chunk);
  void consume_done();

  static constexpr size_t kNone = static_cast<size_t>(-1);

  Input& input_;
  InputFormat format_;
  ChunkLimits limits_;
  int64_t line_;  // number of the line at line_begin_

  // Offsets into input_.unread().
  size_t line_begin_ = 0;  // what comes before has been cut or passed over
  size_t searched_ = 0;    // no line end in [line_begin_, searched_)
  size_t done_ = 0;        // what can be consumed: before line_begin_ unless a paragraph or document is open
  size_t paragraph_begin_ = kNone, paragraph_end_ = 0;
  int64_t paragraph_line_ = 0;
};

}  // namespace bert::io
