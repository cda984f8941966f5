// The thread that exchanges messages with the other ranks while the process computes. Only this thread uses
// the transport.
//
// Besides the messages of its owner it sends each rank a heartbeat every second. A rank that is silent for
// too long, or that reports an error, ends the whole run: one rank shows the message, all end with the exit
// status, by EngineSettings::end, since their owners' threads may wait for something else. A rank that gets a
// signal (base/signals.h) passes it on to rank 0.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "comm/transport.h"

namespace bert::comm {

struct EngineSettings {
  std::function<std::unique_ptr<Transport>()> open;  // called on the engine's thread
  std::function<void(const std::string&)> report;    // shows an error to the user
  std::function<void(int status)> end;  // ends the process, whatever it does; called on the engine's thread
  double silence_s = 6;                 // after which a rank counts as lost
};

class Engine {
 public:
  // Kinds of messages; those of one kind between two ranks keep their order.
  enum Tag { control = 1, text, sums, shares };

  // Returns when connected. Throws what `open` throws.
  explicit Engine(EngineSettings settings);
  ~Engine();

  int rank() const { return rank_; }
  int size() const { return size_; }
  void set_names(std::vector<std::string> names);  // of the hosts, for messages: "rank 2 (host)"

  // For the owner's thread: runs `job` on the engine's thread.
  void submit(std::function<void()> job);
  // Waits until all jobs have run and all messages they posted are finished. Throws Error if the run has
  // ended.
  void wait();
  // Ends the run on all ranks with this message and exit status. Returns when settings.end has.
  void fail(int status, const std::string& message);
  // Disconnects. All ranks call it, with nothing left to do.
  void close();

  // For jobs: post a message. `then` runs when it is finished and may post others.
  void send(int to, Tag tag, const void* data, size_t bytes);
  void receive(int from, Tag tag, void* data, size_t bytes, std::function<void()> then = {});

 private:
  using Clock = std::chrono::steady_clock;
  enum class Kind : int32_t { heartbeat, signal, failure, end, disconnect };
  struct Control {
    Kind kind = Kind::heartbeat;
    int32_t number = 0;  // the signal, or the exit status
    std::array<char, 4088> message = {};
  };
  struct Peer {
    Control in;
    bool sending_heartbeat = false;  // the last heartbeat is still being sent
    bool disconnected = false;
    Clock::time_point last_message, heartbeat_sent;
  };
  struct Open {
    int peer = 0;
    bool is_control = false, is_receive = false;
    std::function<void()> then;
  };
  struct Failure {
    int status;
    std::string message;
  };
  struct Ended {};  // thrown when settings.end returns; leaves the thread

  void run();
  void serve();
  bool run_jobs();
  bool poll();
  void pause(bool active);
  void check_heartbeats();
  void send_heartbeat(int peer);
  void send_control(int peer, Kind kind, int32_t number = 0, std::string_view message = {},
                    std::function<void()> then = {});
  void receive_control(int peer);
  void handle_control(int peer);
  void pass_on_signal();
  void disconnect();
  uint64_t open(Open message);
  void count_open();
  std::string described(int rank);
  // `lost`: the rank that does not answer, if that is the failure; -1: none. `reporter`: the rank that shows
  // the message; -1: the first one that is not lost.
  [[noreturn]] void end_run(const Failure& failure, int lost = -1, int reporter = -1);
  [[noreturn]] void end(int status);
  void drain(double time_s, const std::function<bool()>& done);

  const EngineSettings settings_;
  int rank_ = 0, size_ = 1;

  // Shared with the owner's thread, guarded by mutex_.
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  std::deque<std::function<void()>> jobs_;
  int64_t unfinished_ = 0;    // jobs and open messages other than control
  bool owner_waits_ = false;  // so polling takes no time from computation
  bool closing_ = false, connected_ = false, ended_ = false;
  std::vector<std::string> names_;
  std::exception_ptr error_;  // of `open`
  std::unique_ptr<Failure> failure_;

  // Used by the engine's thread only.
  std::unique_ptr<Transport> transport_;
  std::vector<Peer> peers_;
  std::deque<Open> messages_;  // by id
  std::vector<uint64_t> free_, finished_;
  Clock::time_point looked_, progressed_;
  bool passed_on_signal_ = false, disconnecting_ = false, ending_ = false, reported_ = false;
  std::string ending_message_;

  std::thread thread_;
};

}  // namespace bert::comm
