// From the vectors of a sequence's tokens to one vector for the sequence, as sentence-transformers' Pooling
// does it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/sentence_transformers.h"

namespace bert::task {

using model::PoolingMode;

// Takes the vectors of one sequence, one token after another, and makes the pooled vector of them. [CLS] and
// [SEP] count like any token. Sums are in double and in the order of the tokens, each column by itself, so
// the result is the same bits whatever else is computed beside it.
//
//   mean x̄ = Σ x_t / n      mean_sqrt_len = Σ x_t / √n      weighted_mean = Σ (t+1) x_t / Σ (t+1), t from
//   0
class SequencePooling {
 public:
  // `width` numbers a token. `modes` is not empty; their vectors stand one after another.
  SequencePooling(std::span<const PoolingMode> modes, int64_t width);

  int64_t width() const { return width_ * static_cast<int64_t>(modes_.size()); }  // of the pooled vector

  // The first `left_out` tokens count for `cls` only: a prompt that its model was trained to ignore.
  void start(int64_t left_out = 0);
  void add(std::span<const float> token);  // [width]; the sequence's next token
  void finish(std::span<float> pooled);    // [modes * width]; zeros where no token counts

 private:
  bool wants(PoolingMode mode) const;
  void finish_mode(PoolingMode mode, std::span<float> pooled) const;

  std::vector<PoolingMode> modes_;
  int64_t width_;
  int64_t left_out_ = 0;
  int64_t tokens_ = 0;  // seen, left-out ones too
  std::vector<float> cls_, last_, max_;
  std::vector<double> sum_, weighted_;
};

// Whether the modes read one token only, so that the network need not compute the others.
bool only_first_token(std::span<const PoolingMode> modes);

}  // namespace bert::task
