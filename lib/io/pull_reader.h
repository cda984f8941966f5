// The records of the inputs, one after another, for a program that takes them when it wants them (run_stream
// drives; this is driven). A thread reads ahead into a bounded ring of chunks and does nothing else.
#pragma once

#include <functional>
#include <thread>

#include "io/input_reader.h"
#include "io/raw_record.h"
#include "io/ring.h"
#include "io/stop_event.h"
#include "io/stream.h"

namespace bert::io {

// Whether the wait for input is to end, because of a signal for example; asked ten times a second while
// waiting.
using Interrupted = std::function<bool()>;

class PullReader {
 public:
  // Error when a FILE is not there. Of `options`, what says how inputs are read counts.
  explicit PullReader(const StreamOptions& options, Interrupted interrupted = {});
  // Does not wait for input: a silent pipe or terminal is left as it is.
  ~PullReader();
  PullReader(const PullReader&) = delete;
  PullReader& operator=(const PullReader&) = delete;

  // The next record. False at the end, or when interrupted; an Error when the inputs cannot be read on, after
  // the records before.
  bool next(RawRecord& record);
  // The same by chunks of at least one record, valid until the next call; nullptr where next() is false.
  const Chunk* next_chunk();

  bool ended() const { return ended_; }  // all has been given; false when interrupted

 private:
  const StreamOptions options_;
  const Interrupted interrupted_;
  StopEvent stop_;
  Ring ring_;
  InputReader input_;
  std::thread thread_;
  Chunk* chunk_ = nullptr;  // being given
  size_t cut_ = 0;          // of it, the next one
  bool ended_ = false;
};

}  // namespace bert::io
