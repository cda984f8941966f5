#include "comm/engine.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "base/pool.h"
#include "base/signals.h"

namespace bert::comm {
namespace {

using std::chrono::duration;
using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr double kHeartbeat_s = 1;  // time between signs of life
constexpr double kStopped_s = 2;    // a longer pause of this thread means that the process itself was stopped

double seconds(std::chrono::steady_clock::duration time) { return duration<double>(time).count(); }

}  // namespace

Engine::Engine(EngineSettings settings) : settings_(std::move(settings)) {
  thread_ = start_thread([this] { run(); });
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return connected_ || error_; });
  if (!error_) return;
  lock.unlock();
  thread_.join();
  std::rethrow_exception(error_);
}

Engine::~Engine() {
  close();
  thread_.join();
}

void Engine::set_names(std::vector<std::string> names) {
  const std::lock_guard lock(mutex_);
  names_ = std::move(names);
}

void Engine::submit(std::function<void()> job) {
  const std::lock_guard lock(mutex_);
  jobs_.push_back(std::move(job));
  ++unfinished_;
  wake_.notify_one();
}

void Engine::wait() {
  std::unique_lock lock(mutex_);
  owner_waits_ = true;
  wake_.notify_one();
  done_.wait(lock, [this] { return unfinished_ == 0 || ended_; });
  owner_waits_ = false;
  if (ended_) throw Error("the run of all ranks has ended");
}

void Engine::fail(int status, const std::string& message) {
  std::unique_lock lock(mutex_);
  failure_ = std::make_unique<Failure>(Failure{status, message});
  wake_.notify_one();
  done_.wait(lock, [this] { return ended_; });
}

void Engine::close() {
  std::unique_lock lock(mutex_);
  closing_ = true;
  wake_.notify_one();
  done_.wait(lock, [this] { return !connected_; });
}

void Engine::run() {
  try {
    transport_ = settings_.open();
    rank_ = transport_->rank();
    size_ = transport_->size();
    peers_ = std::vector<Peer>(size_);
    names_.resize(size_);
    for (int peer = 0; peer < size_; ++peer) {
      if (peer == rank_) continue;
      peers_[peer].last_message = Clock::now();
      receive_control(peer);
    }
  } catch (...) {
    const std::lock_guard lock(mutex_);
    error_ = std::current_exception();
    done_.notify_all();
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    connected_ = true;
    done_.notify_all();
  }
  bool ended = false;
  try {
    serve();
  } catch (const Ended&) {
    ended = true;
  } catch (const std::exception& error) {  // the transport is broken
    if (!reported_) settings_.report(ending_ ? ending_message_ : described(rank_) + ": " + error.what());
    settings_.end(1);
    ended = true;
  }
  const std::lock_guard lock(mutex_);
  ended_ = ended;
  connected_ = false;
  done_.notify_all();
}

void Engine::serve() {
  looked_ = progressed_ = Clock::now();
  for (;;) {
    const bool ran = run_jobs(), received = poll();
    if (ran || received) progressed_ = Clock::now();
    std::unique_lock lock(mutex_);
    if (failure_) {
      const Failure failure = *failure_;
      lock.unlock();
      end_run({failure.status, described(rank_) + ": " + failure.message});
    }
    if (closing_ && unfinished_ == 0) break;
    const bool active = unfinished_ > 0;
    lock.unlock();
    pass_on_signal();
    check_heartbeats();
    pause(active);
  }
  disconnect();
  transport_->close();
}

bool Engine::run_jobs() {
  std::unique_lock lock(mutex_);
  if (jobs_.empty()) return false;
  const auto job = std::move(jobs_.front());
  jobs_.pop_front();
  lock.unlock();
  job();
  lock.lock();
  if (--unfinished_ == 0) done_.notify_all();
  return true;
}

bool Engine::poll() {
  finished_.clear();
  transport_->poll(finished_);
  if (finished_.empty()) return false;
  int64_t counted = 0;
  for (const uint64_t id : finished_) {
    Open& message = messages_[id];
    if (message.is_receive) peers_[message.peer].last_message = Clock::now();
    counted += !message.is_control;
    const auto then = std::move(message.then);
    message = {};
    free_.push_back(id);
    if (then) then();
  }
  const std::lock_guard lock(mutex_);
  unfinished_ -= counted;
  if (unfinished_ == 0) done_.notify_all();
  return true;
}

// Polls without pause while the owner waits, with short pauses while it computes, and rarely if nothing is
// open.
void Engine::pause(bool active) {
  std::unique_lock lock(mutex_);
  if (!jobs_.empty() || failure_) return;
  if (!active) {
    wake_.wait_for(lock, milliseconds(2));
  } else if (!owner_waits_ || Clock::now() - progressed_ > milliseconds(1)) {
    wake_.wait_for(lock, microseconds(50));
  } else {
    lock.unlock();
    ::sched_yield();
  }
}

// A pause of this thread means that the process was stopped, and perhaps the others with it.
void Engine::check_heartbeats() {
  const auto now = Clock::now();
  const double pause = seconds(now - looked_);
  if (pause < kHeartbeat_s / 4) return;
  looked_ = now;
  for (int peer = 0; peer < size_; ++peer) {
    auto& state = peers_[peer];
    if (peer == rank_) continue;
    if (pause > kStopped_s || state.disconnected) state.last_message = now;
    if (seconds(now - state.heartbeat_sent) >= kHeartbeat_s && !disconnecting_) send_heartbeat(peer);
    if (seconds(now - state.last_message) > settings_.silence_s)
      end_run({1, described(peer) + " has not answered for " +
                      std::to_string(static_cast<int>(settings_.silence_s)) +
                      " s: it was killed or hangs, or its host or the network fails; the run ends"},
              peer);
  }
}

void Engine::send_heartbeat(int peer) {
  auto& state = peers_[peer];
  if (state.sending_heartbeat) return;
  state.sending_heartbeat = true;
  state.heartbeat_sent = Clock::now();
  send_control(peer, Kind::heartbeat, 0, {}, [&state] { state.sending_heartbeat = false; });
}

void Engine::send_control(int peer, Kind kind, int32_t number, std::string_view message,
                          std::function<void()> then) {
  auto control = std::make_shared<Control>(Control{.kind = kind, .number = number});
  message.copy(control->message.data(), control->message.size() - 1);
  const auto id = open({.peer = peer, .is_control = true, .then = [control, then = std::move(then)] {
                          if (then) then();
                        }});
  transport_->send(peer, Tag::control, control.get(), sizeof *control, id);
}

void Engine::receive_control(int peer) {
  auto& in = peers_[peer].in;
  const auto id = open(
      {.peer = peer, .is_control = true, .is_receive = true, .then = [this, peer] { handle_control(peer); }});
  transport_->receive(peer, Tag::control, &in, sizeof in, id);
}

void Engine::handle_control(int peer) {
  auto& state = peers_[peer];
  const Control& control = state.in;
  switch (control.kind) {
    case Kind::heartbeat:
      break;
    case Kind::signal:
      StopOnSignal::request(control.number);
      break;
    case Kind::failure:
      if (ending_) break;
      end_run({control.number, control.message.data()}, -1, rank_);
    case Kind::end:
      end(control.number);
    case Kind::disconnect:
      state.disconnected = true;
      return;
  }
  receive_control(peer);
}

void Engine::pass_on_signal() {
  const int signal = StopOnSignal::requested();
  if (rank_ == 0 || signal == 0 || passed_on_signal_) return;
  passed_on_signal_ = true;
  send_control(0, Kind::signal, signal);
}

// The last control message to each rank, and from each.
void Engine::disconnect() {
  for (int peer = 0; peer < size_; ++peer)
    if (peer != rank_) send_control(peer, Kind::disconnect);
  disconnecting_ = true;
  const auto open_messages = [this] { return messages_.size() - free_.size(); };
  while (open_messages() > 0) {
    if (!poll()) ::usleep(100);
    check_heartbeats();
  }
}

std::string Engine::described(int rank) {
  const std::lock_guard lock(mutex_);
  const auto& name = names_[rank];
  return "rank " + std::to_string(rank) + (name.empty() ? "" : " (" + name + ")");
}

// Rank 0 shows the message, or if it is lost, rank 1; if that rank does not react, this one does.
void Engine::end_run(const Failure& failure, int lost, int reporter) {
  constexpr double kReaction_s = 2, kDelivery_s = 0.5;
  ending_ = true;
  ending_message_ = failure.message;
  if (reporter < 0) reporter = lost == 0 ? 1 : 0;
  if (rank_ != reporter) {
    send_control(reporter, Kind::failure, failure.status, failure.message);
    drain(kReaction_s, [] { return false; });
  }
  reported_ = true;
  settings_.report(failure.message);
  int undelivered = 0;
  for (int peer = 0; peer < size_; ++peer) {
    if (peer == rank_ || peer == lost) continue;
    ++undelivered;
    send_control(peer, Kind::end, failure.status, {}, [&undelivered] { --undelivered; });
  }
  drain(kDelivery_s, [&undelivered] { return undelivered == 0; });
  end(failure.status);
}

void Engine::end(int status) {
  settings_.end(status);
  throw Ended();
}

// Finishes messages until `done`, but at most for this time.
void Engine::drain(double time_s, const std::function<bool()>& done) {
  const auto begin = Clock::now();
  while (!done() && seconds(Clock::now() - begin) < time_s) {
    if (!poll()) ::usleep(100);
  }
}

uint64_t Engine::open(Open message) {
  if (free_.empty()) {
    messages_.push_back(std::move(message));
    return messages_.size() - 1;
  }
  const uint64_t id = free_.back();
  free_.pop_back();
  messages_[id] = std::move(message);
  return id;
}

void Engine::count_open() {
  const std::lock_guard lock(mutex_);
  ++unfinished_;
}

void Engine::send(int to, Tag tag, const void* data, size_t bytes) {
  count_open();
  transport_->send(to, tag, data, bytes, open({.peer = to}));
}

void Engine::receive(int from, Tag tag, void* data, size_t bytes, std::function<void()> then) {
  count_open();
  transport_->receive(from, tag, data, bytes,
                      open({.peer = from, .is_receive = true, .then = std::move(then)}));
}

}  // namespace bert::comm
