// The reader thread's work: opens the FILEs one after another, finds out their formats, and fills chunks.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "io/chunk.h"
#include "io/cutter.h"
#include "io/input.h"
#include "io/ring.h"
#include "io/stream.h"

namespace bert::io {

// Throws Error when a FILE is not there or cannot be read, so that a wrong name is told
// before any work is done.
void check_files(const std::vector<std::string>& files);

class InputReader {
 public:
  // `stop`: a descriptor that becomes readable when the stream has stopped. `on_chunk`
  // gets each chunk in turn.
  InputReader(const StreamOptions& options, ChunkLimits limits, Ring& ring, int stop,
              std::function<void(Chunk&)> on_chunk);

  // Returns at the end of the last FILE or when the stream has stopped. A failure travels in the last chunk.
  void run();

 private:
  bool read(const std::string& name);  // false: the stream has stopped
  std::shared_ptr<const Source> open_source(Input& input, int64_t& line) const;
  std::vector<std::string> read_header(Input& input) const;
  bool take_chunk();

  const StreamOptions& options_;
  ChunkLimits limits_;
  Ring& ring_;
  int stop_;
  std::function<void(Chunk&)> on_chunk_;
  Chunk* chunk_ = nullptr;  // ours to fill
  int64_t place_;
  int64_t chunks_ = 0;
};

}  // namespace bert::io
