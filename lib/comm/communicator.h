// Operations of all processes (ranks) of a run together. Every rank must call them in the same order. Results
// do not depend on timing, hosts or transport: sums are added in the order of the ranks.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "comm/engine.h"

namespace bert::comm {

// A part of an array that all ranks have, and the rank that owns it.
struct Piece {
  float* numbers;
  int64_t count;  // at most kLongestPiece; for sums a multiple of 64
  int owner;
};
constexpr int64_t kLongestPiece = 1 << 16;

class Communicator {
 public:
  // A single process: rank 0 of 1. Operations with others do nothing.
  Communicator();
  // Connects to the other ranks. Throws Error if that fails.
  explicit Communicator(EngineSettings settings);
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  int rank() const { return engine_ ? engine_->rank() : 0; }
  int size() const { return engine_ ? engine_->size() : 1; }
  bool alone() const { return size() == 1; }
  bool is_first() const { return rank() == 0; }
  static std::string host();  // name of this host

  // The texts of all ranks, in their order.
  std::vector<std::string> all_gather(const std::string& own);
  // The text of rank 0.
  std::string broadcast(const std::string& text);
  // The text for this rank, of the texts that rank 0 has for each; the others pass none.
  std::string scatter(std::vector<std::string> texts);
  // Replaces each number by the sum over all ranks.
  void sum(std::span<double> numbers);

  // Starts to replace each piece, at its owner, by the sum over all ranks; elsewhere it keeps its numbers.
  // The pieces must not be touched until wait().
  void start_sum(std::vector<Piece> pieces);
  // Replaces each piece by its owner's numbers.
  void share(const std::vector<Piece>& pieces);
  // Replaces each piece on rank 0 by its owner's numbers.
  void collect(const std::vector<Piece>& pieces);
  // Waits for all that was started.
  void wait();

  // The signal that was sent to any rank to stop it (base/signals.h), or 0; the same on all ranks.
  int stop_requested();

  // Calls `work` and returns its result. If it throws an Error on any rank, throws that of the first such
  // rank on all, so that they can go on together. `work` may not fail between operations of all ranks.
  bool together(const std::function<bool()>& work);
  bool failed_together() const { return failed_together_; }  // whether together() has thrown

  // Ends the run on all ranks: one message with this rank's name, and the exit status. See Engine::fail.
  void fail(int status, const std::string& message);
  // Disconnects; waits for the other ranks. The destructor does the same.
  void close();

 private:
  struct Summation;

  // Rank 0 sends, the others receive. `text_of` a rank must live until then.
  std::string from_first(const std::function<const std::string&(int rank)>& text_of);

  std::unique_ptr<Summation> summation_;  // must outlive the engine
  std::unique_ptr<Engine> engine_;
  bool failed_together_ = false;
};

}  // namespace bert::comm
