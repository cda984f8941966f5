// Interface of what splits the bytes of one FILE into records; each class reads one format or several similar
// ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "io/chunk.h"
#include "io/input.h"

namespace bert::io {

struct ChunkLimits {
  size_t bytes, records;  // a chunk is full when it reaches either
};

class RecordCutter {
 public:
  virtual ~RecordCutter() = default;

  // Waits for at least one record, then adds those that can be read without waiting until `chunk` is full.
  // False at the end of the input. A read failure is stored in chunk.failure.
  virtual bool fill(Chunk& chunk) = 0;
};

// The references outlive the cutter.
struct CutterOptions {
  Input& input;
  const Source& source;
  int64_t line;  // number of the first line that `input` will return
  ChunkLimits limits;
  std::optional<int64_t> row_width = {};  // of arrays; required for f32
};

// Moves the first bytes of the input to the chunk, with padding.
void take_data(Input& input, size_t size, Chunk& chunk);

}  // namespace bert::io
