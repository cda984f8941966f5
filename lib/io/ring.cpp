#include "io/ring.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>

#include "base/error.h"

namespace bert::io {

StopEvent::StopEvent() : event_(::eventfd(0, EFD_CLOEXEC)) {
  if (event_.get() < 0) throw Error("eventfd: ", std::strerror(errno));
}

void StopEvent::set() {
  const uint64_t one = 1;
  // Fails only if the counter is at its maximum, and then the event is readable anyway.
  [[maybe_unused]] const ssize_t written = ::write(event_.get(), &one, sizeof one);
}

Chunk* Ring::take_free() {
  std::unique_lock lock(mutex_);
  Slot& slot = this->slot(next_read_);
  reader_wakes_.wait(lock, [&] { return stopped_ || slot.state == State::free; });
  if (stopped_) return nullptr;
  slot.chunk.clear();
  slot.chunk.number = next_read_++;
  return &slot.chunk;
}

void Ring::end_of_input(int64_t count) {
  const std::lock_guard lock(mutex_);
  chunks_ = count;
  writer_wakes_.notify_one();
  happened();
}

void Ring::put(Chunk& chunk, State state) {
  const std::lock_guard lock(mutex_);
  slot(chunk.number).state = state;
  if (state == State::finished) writer_wakes_.notify_one();
  happened();
}

Chunk* Ring::take_finished(const std::function<bool()>& given_up) {
  constexpr std::chrono::milliseconds kAskEvery(100);
  std::unique_lock lock(mutex_);
  Slot& slot = this->slot(next_written_);
  const auto awake = [&] { return stopped_ || next_written_ == chunks_ || slot.state == State::finished; };
  if (!given_up) writer_wakes_.wait(lock, awake);
  while (!writer_wakes_.wait_for(lock, kAskEvery, awake)) {
    if (given_up()) return nullptr;
  }
  if (stopped_ || slot.state != State::finished) return nullptr;
  ++next_written_;
  return &slot.chunk;
}

void Ring::release(Chunk& chunk) {
  const std::lock_guard lock(mutex_);
  slot(chunk.number).state = State::free;
  reader_wakes_.notify_one();
}

void Ring::all_written() {
  const std::lock_guard lock(mutex_);
  all_written_ = true;
  happened();
}

Ring::State Ring::state(int64_t number) {
  const std::lock_guard lock(mutex_);
  const Slot& slot = this->slot(number);
  if (number < next_written_ || slot.chunk.number > number) return State::finished;
  return slot.chunk.number < number ? State::free : slot.state;
}

uint64_t Ring::events() {
  const std::lock_guard lock(mutex_);
  return events_;
}

void Ring::wait(uint64_t seen) {
  std::unique_lock lock(mutex_);
  driver_wakes_.wait(lock, [&] { return events_ != seen; });
}

void Ring::notice() {
  const std::lock_guard lock(mutex_);
  happened();
}

bool Ring::done() {
  const std::lock_guard lock(mutex_);
  return all_written_ || stopped_;
}

void Ring::begin_task() {
  const std::lock_guard lock(mutex_);
  ++tasks_;
}

void Ring::end_task() {
  const std::lock_guard lock(mutex_);
  --tasks_;
  happened();
}

bool Ring::has_tasks() {
  const std::lock_guard lock(mutex_);
  return tasks_ > 0;
}

void Ring::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  reader_wakes_.notify_one();
  writer_wakes_.notify_one();
  happened();
}

bool Ring::stopped() {
  const std::lock_guard lock(mutex_);
  return stopped_;
}

void Ring::happened() {
  ++events_;
  driver_wakes_.notify_one();
}

}  // namespace bert::io
