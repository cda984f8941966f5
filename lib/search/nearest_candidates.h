// The centers that may be the nearest one of a row, by scores in f32. They are few, except for rows that f32
// cannot tell apart.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

namespace bert::search {

class NearestCandidates {
 public:
  struct Candidate {
    int32_t center;
    float score;
  };

  // `slack`: a center whose score is lower than that of another one by more is not the nearest.
  explicit NearestCandidates(float slack) : slack_(slack) {}

  // A candidate with a lower score need not be added. NaN is not lower.
  float limit() const { return limit_; }

  // Requires !full().
  void add(const Candidate& candidate);
  bool full() const { return size_ == candidates_.size(); }

  std::span<const Candidate> all() const { return {candidates_.data(), size_}; }  // in the order of add
  void keep_only(const Candidate& candidate);

 private:
  float slack_, best_ = -INFINITY, limit_ = -INFINITY;
  size_t size_ = 0;
  std::array<Candidate, 6> candidates_;
};

}  // namespace bert::search
