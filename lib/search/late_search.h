// Search with a vector for each token: MaxSim of a query and each text (nn/max_sim.h), by products in f32.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/pool.h"
#include "nn/tensor.h"
#include "search/nearest.h"

namespace bert::search {

constexpr std::string_view kMaxSim = "maxsim";  // the field with such a score, if there is a later one

// The vectors of the tokens of texts, in memory.
class TokenVectors {
 public:
  explicit TokenVectors(int64_t width) : width_(width) {}

  void add(std::span<const float> vectors);  // of a text, at least one, all finite

  int64_t texts() const { return std::ssize(counts_); }
  int64_t width() const { return width_; }
  int64_t count(int64_t text) const { return counts_[text]; }
  // [count, width]
  std::span<const float> of(int64_t text) const {
    return {starts_[text], static_cast<size_t>(counts_[text] * width_)};
  }

 private:
  const int64_t width_;
  std::vector<nn::Memory> blocks_;
  int64_t room_ = 0;  // numbers left in the last block
  std::vector<const float*> starts_;
  std::vector<int64_t> counts_;
};

class LateSearch {
 public:
  // Searches these texts, or all if there is no list. References must outlive this object.
  LateSearch(const TokenVectors& vectors, const std::vector<int64_t>* selected, Pool& pool)
      : vectors_(vectors), selected_(selected), pool_(pool) {}

  // For each query, [its vectors, width], its nearest texts, numbered as in the list, best first. Driver
  // only.
  std::vector<std::vector<Neighbor>> nearest(std::span<const std::span<const float>> queries, Wanted wanted);

 private:
  int64_t texts() const { return selected_ != nullptr ? std::ssize(*selected_) : vectors_.texts(); }
  int64_t text_of(int64_t row) const { return selected_ != nullptr ? (*selected_)[row] : row; }
  // Compares the texts [first, last) with each query.
  void compare(std::span<const nn::Tensor> queries, int64_t first, int64_t last, double least,
               std::span<Best> best) const;

  const TokenVectors& vectors_;
  const std::vector<int64_t>* const selected_;
  Pool& pool_;
};

}  // namespace bert::search
