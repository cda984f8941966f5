// Bounded ring of chunks shared by reader, tasks, driver and writer.
//
//   free → read → prepared → finishing → finished → free
//
// Chunk `number` is in slot number % size. The reader waits until the writer has released the previous chunk
// in that slot, so memory stays bounded. Whoever moves a chunk to a new state calls put() and does not touch
// the chunk afterwards.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

#include "base/file.h"
#include "io/chunk.h"

namespace bert::io {

// Wakes a thread that waits for input in poll when no more input is wanted.
class StopEvent {
 public:
  StopEvent();

  int get() const { return event_.get(); }  // becomes and stays readable
  void set();                               // any thread may call it

 private:
  FileDescriptor event_;
};

class Ring {
 public:
  enum class State { free, read, prepared, finishing, finished };

  explicit Ring(size_t size) : slots_(size) {}

  // Reader: the next chunk to fill, once its slot is free; nullptr if the stream has stopped.
  Chunk* take_free();
  // Reader: sets the total number of chunks.
  void end_of_input(int64_t count);

  // Any thread: passes the chunk on.
  void put(Chunk& chunk, State state);

  // Writer: the next chunk in order, once it is finished; nullptr at the end of the input or if the stream
  // has stopped. While waiting, `given_up` is called every 100 ms; if it returns true, so does the wait with
  // nullptr.
  Chunk* take_finished(const std::function<bool()>& given_up = {});
  void release(Chunk& chunk);
  void all_written();

  // Driver: state of chunk `number`. free: not read yet; finished: possibly written and released already.
  State state(int64_t number);
  Chunk& at(int64_t number) { return slot(number).chunk; }

  // Driver: a counter of events, and a wait until it differs from `seen`.
  uint64_t events();
  void wait(uint64_t seen);
  void notice();  // counts as an event
  bool done();    // all written or stopped

  // Number of pool tasks that still hold a chunk.
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
  Slot& slot(int64_t number) { return slots_[number % slots_.size()]; }
  void happened();

  std::mutex mutex_;
  std::condition_variable reader_wakes_, driver_wakes_, writer_wakes_;
  std::vector<Slot> slots_;
  int64_t next_read_ = 0, next_written_ = 0;
  int64_t chunks_ = -1;  // in all inputs, once known
  int64_t tasks_ = 0;
  uint64_t events_ = 0;
  bool all_written_ = false, stopped_ = false;
};

}  // namespace bert::io
