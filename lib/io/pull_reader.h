// Iterates over the records of the inputs, for callers that request records one by one (run_stream calls the
// filter instead). A thread reads ahead into a bounded ring of chunks.
#pragma once

#include <functional>
#include <thread>

#include "io/input_reader.h"
#include "io/record_reader.h"
#include "io/ring.h"
#include "io/stream.h"

namespace bert::io {

// Whether to stop waiting for input, for example because of a signal. Called ten times a second while
// waiting.
using Interrupted = std::function<bool()>;

class PullReader {
 public:
  // Error if a FILE does not exist. Only the input-related `options` are used.
  explicit PullReader(const StreamOptions& options, Interrupted interrupted = {});
  // Does not wait for input that has not arrived from a pipe or terminal.
  ~PullReader();
  PullReader(const PullReader&) = delete;
  PullReader& operator=(const PullReader&) = delete;

  // Reads the next record. False at the end or when interrupted. If an input cannot be read further, throws
  // Error after the records before the failure.
  bool next(RawRecord& record);
  // The same for chunks of at least one record, each valid until the next call; nullptr where next() returns
  // false.
  const Chunk* next_chunk();

  bool ended() const { return ended_; }  // all records were returned; false if interrupted

 private:
  int64_t characters_before(const Cut& cut);

  const StreamOptions options_;
  const Interrupted interrupted_;
  StopEvent stop_;
  Ring ring_;
  InputReader input_;
  std::thread thread_;
  Chunk* chunk_ = nullptr;  // the current chunk
  size_t cut_ = 0;          // index of its next record
  size_t counted_ = 0;      // bytes of the chunk,
  int64_t characters_ = 0;  // and the characters of the FILE before them
  bool ended_ = false;
};

}  // namespace bert::io
