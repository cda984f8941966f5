// sentence-transformers' Pooling of token vectors, and the modules after it: Dense and Normalize.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/sentence_transformers.h"
#include "nn/activation.h"
#include "nn/tensor.h"

namespace bert::heads {

using model::PoolingMode;

// Takes the token vectors of one sequence in order and computes the pooled vector. [CLS] and [SEP] count like
// other tokens. Sums are in double, in token order, for each column separately, so results do not depend on
// the rest of the batch.
//
//   mean = Σ x_t / n, mean_sqrt_len = Σ x_t / √n, weighted_mean = Σ (t+1) x_t / Σ (t+1), with t from 0
class SequencePooling {
 public:
  // `width` is the length of a token vector. `modes` must not be empty; the vectors of several modes are
  // concatenated.
  SequencePooling(std::span<const PoolingMode> modes, int64_t width);

  int64_t width() const { return width_ * std::ssize(modes_); }  // of the pooled vector

  // Only `cls` uses the first `left_out` tokens, a prompt that the model was trained to ignore in pooling.
  void start(int64_t left_out = 0);
  void add(std::span<const float> token);  // [width]; the next token of the sequence
  void finish(std::span<float> pooled);    // [modes * width]; zeros if no token counts

 private:
  bool wants(PoolingMode mode) const;
  void finish_mode(PoolingMode mode, std::span<float> pooled) const;

  std::vector<PoolingMode> modes_;
  int64_t width_;
  int64_t left_out_ = 0;
  int64_t tokens_ = 0;  // tokens added, including those left out
  std::vector<float> cls_, last_, max_;
  std::vector<double> sum_, weighted_;
};

// Backward of SequencePooling without tokens left out: adds to the rows of `dtokens` what `dpooled`
// [modes * width] gives to the `count` token vectors that begin at row `first` of `tokens` [R,width].
//
//   mean: dx_t += d / n, and so on; max: dx_t += d for the first t with the maximum
void pooling_gradient(std::span<const PoolingMode> modes, const nn::Tensor& tokens, int64_t first,
                      int64_t count, std::span<const float> dpooled, nn::Tensor& dtokens);

// True if the modes use the first token only, so that the network can skip the others.
bool only_first_token(std::span<const PoolingMode> modes);

// activation(W x + b). Sums are in double, in eight interleaved lanes added in a fixed order, for speed and
// reproducible results.
std::vector<float> project(const model::Dense& dense, std::span<const float> x);

// x / max(|x|, 1e-12), with the norm in double, as in PyTorch's F.normalize.
void normalize(std::span<float> x);

double activate(nn::Activation activation, double x);

}  // namespace bert::heads
