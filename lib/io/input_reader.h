// Reader thread: opens the FILEs one after another, detects their formats and fills chunks.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "io/cutter.h"
#include "io/input.h"
#include "io/record.h"
#include "io/ring.h"
#include "io/stream.h"

namespace bert::io {

// Throws Error if a FILE does not exist or cannot be read, so that a wrong name is reported before any work
// is done.
void check_files(const std::vector<std::string>& files);

class InputReader {
 public:
  // `stop`: a descriptor that becomes readable when the stream has stopped. `on_chunk` is called with each
  // chunk.
  InputReader(const StreamOptions& options, ChunkLimits limits, Ring& ring, int stop,
              std::function<void(Chunk&)> on_chunk);

  // Returns after the last FILE or when the stream has stopped. A failure is stored in the last chunk.
  void run();

 private:
  bool read(const std::string& name);  // false: the stream has stopped
  std::shared_ptr<const Source> open_source(Input& input, int64_t& line) const;
  bool reads(InputFormat format) const;
  bool is_raw(const std::string& name) const;
  InputFormat format_of(Input& input, bool& guessed) const;
  std::vector<std::string> read_header(Input& input, InputFormat format, int64_t& line) const;
  bool take_chunk();

  const StreamOptions& options_;
  ChunkLimits limits_;
  Ring& ring_;
  int stop_;
  std::function<void(Chunk&)> on_chunk_;
  Chunk* chunk_ = nullptr;  // being filled
  int64_t place_;
  int64_t chunks_ = 0;
  uint64_t read_ = 0;  // bytes of the FILEs before the current one
};

}  // namespace bert::io
