#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "nn/attention.h"

// The probabilities of attention as such, which forward does not keep.

namespace bert::nn {
namespace {

// One head of a sequence of T tokens. q [T,size] and k [T,size] are columns of tensors with this stride.
struct ScoredHead {
  const float *q, *k;
  int64_t stride;
  int64_t length;  // T
  int64_t size;
  std::vector<KeyRange> seen;  // by each query
  const float* bias;           // see AttentionHead
  RelativeRows relative;
  float scale;
};

// What relative positions add to the product of a query and a key.
float of_positions(Context& context, const ScoredHead& head, int64_t query, int64_t key) {
  const auto& p = head.relative;
  const int64_t row = (p.row_of[key - query] - p.first) * p.stride;
  const auto dot = context.kernels().dot;
  float sum = 0;
  if (p.keys != nullptr) sum += dot(head.size, head.q + query * head.stride, p.keys + row);
  if (p.queries != nullptr) sum += dot(head.size, head.k + key * head.stride, p.queries + row);
  return sum;
}

// weights [T,T] = softmax of the scores of a head. A number depends on one query and the keys it sees, so it
// is the same in any batch. Adding to all keys of a query at a time lets the compiler use vectors without
// changing sums.
void weigh(Context& context, int thread, const ScoredHead& head, float* weights) {
  const int64_t stride = round_up(head.length, Tensor::kColumns);
  float* const k = context.scratch(thread, head.size * stride);  // [size, T]
  context.kernels().transpose(head.length, head.size, head.k, head.stride, k, stride);
  const float scale = head.scale;
  for (int64_t i = 0; i < head.length; ++i) {
    const std::span row(weights + i * head.length, head.length);
    const auto [begin, end] = head.seen[i];
    const auto seen = row.subspan(begin, end - begin);
    std::ranges::fill(row, 0.0f);
    for (size_t j = 0; head.bias != nullptr && j < seen.size(); ++j)
      seen[j] = head.bias[begin + j - i] * scale;
    for (int64_t c = 0; c < head.size; ++c) {
      const float q = head.q[i * head.stride + c] * scale;
      for (size_t j = 0; j < seen.size(); ++j) seen[j] += q * k[c * stride + begin + j];
    }
    for (size_t j = 0; head.relative.row_of != nullptr && j < seen.size(); ++j)
      seen[j] += scale * of_positions(context, head, i, begin + static_cast<int64_t>(j));
    const float max = *std::ranges::max_element(seen);
    double sum = 0;
    for (float& x : seen) sum += x = std::exp(x - max);
    for (float& x : seen) x = static_cast<float>(x / sum);
  }
}

}  // namespace

// The products are those of forward, in the same number format. One task for each head of each sequence.
std::vector<std::vector<float>> Attention::weights(const Pass& pass, const Tensor& x) const {
  const std::array<const Linear*, 2> linears = {&query_, &key_};
  Tensor qk(x.rows(), 2 * query_.width());
  Linear::forward_beside(pass.context, pass.weights, x, linears, 0, Linear::Form::floats, qk);
  normalize_all(pass, qk);
  turn_all(pass, 1, qk);
  ProjectedPositions own;
  const auto* const relative = positions_of(pass, own);
  std::vector<std::vector<float>> weights(pass.offsets.size() - 1);
  const int64_t size = hidden_ / heads_;
  for (size_t s = 0; s < weights.size(); ++s) {
    const int64_t length = pass.offsets[s + 1] - pass.offsets[s];
    weights[s].resize(heads_ * length * length);
  }
  pass.context.pool().run_grid(std::ssize(weights) * heads_, [&](int64_t i, int thread) {
    const size_t s = i / heads_;
    const int64_t head = i % heads_, length = pass.offsets[s + 1] - pass.offsets[s];
    const float* const q = qk.row(pass.offsets[s]) + head * size;
    std::vector<KeyRange> seen;
    for (int64_t position = 0; position < length; ++position)
      seen.push_back(seen_by(pass, static_cast<int64_t>(s), position));
    weigh(pass.context, thread,
          {.q = q,
           .k = q + query_.width(),
           .stride = qk.stride(),
           .length = length,
           .size = size,
           .seen = std::move(seen),
           .bias = pass.bias == nullptr ? nullptr : pass.bias->center(head),
           .relative = relative == nullptr ? RelativeRows() : rows_of(pass, *relative, length, head),
           .scale = static_cast<float>(scale())},
          weights[s].data() + head * length * length);
  });
  return weights;
}

}  // namespace bert::nn
