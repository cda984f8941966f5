// The bounded ring of chunks that joins reader, tasks, driver and writer.
//
//   free → read → prepared → finishing → finished → free
//
// Chunk `number` lives in slot number % size, so the reader waits for a slot until the writer is done with
// the chunk that many places before, and memory stays bounded. Whoever moved a chunk to its present state
// hands it on by put() and does not touch it again.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

#include "io/chunk.h"

namespace bert::io {

class Ring {
 public:
  enum class State { free, read, prepared, finishing, finished };

  explicit Ring(size_t size) : slots_(size) {}

  // Reader: the next chunk to fill, when its slot is free; nullptr when the stream has stopped.
  Chunk* take_free();
  // Reader: there will be no more chunks than `count`.
  void end_of_input(int64_t count);

  // Anyone: hands the chunk on.
  void put(Chunk& chunk, State state);

  // Writer: the next chunk in order, when it is finished; nullptr at the end of input or
  // when the stream has stopped. While waiting, `given_up` is asked now and then; true ends the wait with
  // nullptr.
  Chunk* take_finished(const std::function<bool()>& given_up = {});
  void release(Chunk& chunk);
  void all_written();

  // Driver: where chunk `number` is. Free: not read yet; finished: perhaps written and gone already.
  State state(int64_t number);
  Chunk& at(int64_t number) { return slot(number).chunk; }

  // Driver: a number that grows with every event, and a wait until it is not `seen` any more.
  uint64_t events();
  void wait(uint64_t seen);
  void notice();  // makes an event
  bool done();    // all written or stopped

  // Tasks of the pool that still hold a chunk.
  void begin_task();
  void end_task();
  bool has_tasks();

  void stop();
  bool stopped();

 private:
  struct Slot {
    State state = State::free;
    Chunk chunk;
  };
  Slot& slot(int64_t number) { return slots_[static_cast<size_t>(number) % slots_.size()]; }
  void happened();

  std::mutex mutex_;
  std::condition_variable reader_wakes_, driver_wakes_, writer_wakes_;
  std::vector<Slot> slots_;
  int64_t next_read_ = 0, next_written_ = 0;
  int64_t chunks_ = -1;  // of all input, once known
  int64_t tasks_ = 0;
  uint64_t events_ = 0;
  bool all_written_ = false, stopped_ = false;
};

}  // namespace bert::io
