#include "heads/pooling.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "nn/dot.h"

namespace bert::heads {

SequencePooling::SequencePooling(std::span<const PoolingMode> modes, int64_t width)
    : modes_(modes.begin(), modes.end()), width_(width) {
  assert(!modes_.empty());
}

bool SequencePooling::wants(PoolingMode mode) const {
  return std::find(modes_.begin(), modes_.end(), mode) != modes_.end();
}

void SequencePooling::start(int64_t left_out) {
  left_out_ = left_out;
  tokens_ = 0;
  const size_t n = width_;
  cls_.assign(n, 0);
  last_.assign(n, 0);
  max_.assign(n, 0);
  const bool sums = wants(PoolingMode::mean) || wants(PoolingMode::mean_sqrt_len);
  sum_.assign(sums ? n : 0, 0);
  weighted_.assign(wants(PoolingMode::weighted_mean) ? n : 0, 0);
}

void SequencePooling::add(std::span<const float> token) {
  const int64_t position = tokens_++;
  if (position == 0) std::copy(token.begin(), token.end(), cls_.begin());
  if (position < left_out_) return;
  const float* x = token.data();
  for (size_t i = 0; i < sum_.size(); ++i) sum_[i] += x[i];
  const double weight = position + 1;
  for (size_t i = 0; i < weighted_.size(); ++i) weighted_[i] += weight * x[i];
  if (wants(PoolingMode::max)) {
    const bool first = position == left_out_;
    // Keep a NaN, so that it is reported; a plain comparison would lose it.
    for (size_t i = 0; i < max_.size(); ++i)
      max_[i] = first || x[i] > max_[i] || x[i] != x[i] ? x[i] : max_[i];
  }
  if (wants(PoolingMode::last)) std::copy(token.begin(), token.end(), last_.begin());
}

void SequencePooling::finish(std::span<float> pooled) {
  assert(std::ssize(pooled) == width());
  for (size_t m = 0; m < modes_.size(); ++m) {
    finish_mode(modes_[m], pooled.subspan(m * width_, width_));
  }
}

void SequencePooling::finish_mode(PoolingMode mode, std::span<float> pooled) const {
  const auto scaled = [&](const std::vector<double>& sum, double divisor) {
    for (size_t i = 0; i < pooled.size(); ++i) pooled[i] = static_cast<float>(sum[i] / divisor);
  };
  const double counted = std::max<int64_t>(tokens_ - left_out_, 0);
  const auto all = static_cast<double>(tokens_), skipped = static_cast<double>(std::min(left_out_, tokens_));
  switch (mode) {
    case PoolingMode::cls:
      std::copy(cls_.begin(), cls_.end(), pooled.begin());
      return;
    case PoolingMode::max:
      std::copy(max_.begin(), max_.end(), pooled.begin());
      return;
    case PoolingMode::last:
      std::copy(last_.begin(), last_.end(), pooled.begin());
      return;
    case PoolingMode::mean:
      scaled(sum_, std::max(counted, 1.0));
      return;
    case PoolingMode::mean_sqrt_len:
      scaled(sum_, std::sqrt(std::max(counted, 1.0)));
      return;
    case PoolingMode::weighted_mean:
      scaled(weighted_, std::max((all * (all + 1) - skipped * (skipped + 1)) / 2, 1.0));
      return;
  }
}

namespace {

// dtokens[first + t] += weight_of(t)·d
template <class Weight>
void add_weighted(int64_t first, int64_t count, std::span<const float> d, Weight weight_of,
                  nn::Tensor& dtokens) {
  for (int64_t t = 0; t < count; ++t) {
    const double weight = weight_of(t);
    float* const row = dtokens.row(first + t);
    for (size_t i = 0; i < d.size(); ++i) row[i] = static_cast<float>(row[i] + weight * d[i]);
  }
}

// The first token with the maximum in column i.
int64_t place_of_max(const nn::Tensor& tokens, int64_t first, int64_t count, size_t i) {
  int64_t best = 0;
  for (int64_t t = 1; t < count; ++t)
    if (tokens.row(first + t)[i] > tokens.row(first + best)[i]) best = t;
  return best;
}

}  // namespace

void pooling_gradient(std::span<const PoolingMode> modes, const nn::Tensor& tokens, int64_t first,
                      int64_t count, std::span<const float> dpooled, nn::Tensor& dtokens) {
  const size_t width = tokens.cols();
  assert(dpooled.size() == modes.size() * width);
  const double n = count;
  for (size_t m = 0; m < modes.size(); ++m) {
    const auto d = dpooled.subspan(m * width, width);
    switch (modes[m]) {
      case PoolingMode::cls:
        add_weighted(
            first, 1, d, [](int64_t) { return 1.0; }, dtokens);
        break;
      case PoolingMode::last:
        add_weighted(
            first + count - 1, 1, d, [](int64_t) { return 1.0; }, dtokens);
        break;
      case PoolingMode::max:
        for (size_t i = 0; i < width; ++i)
          dtokens.row(first + place_of_max(tokens, first, count, i))[i] += d[i];
        break;
      case PoolingMode::mean:
        add_weighted(
            first, count, d, [n](int64_t) { return 1 / n; }, dtokens);
        break;
      case PoolingMode::mean_sqrt_len:
        add_weighted(
            first, count, d, [n](int64_t) { return 1 / std::sqrt(n); }, dtokens);
        break;
      case PoolingMode::weighted_mean:
        add_weighted(
            first, count, d, [n](int64_t t) { return static_cast<double>(t + 1) * 2 / (n * (n + 1)); },
            dtokens);
        break;
    }
  }
}

bool only_first_token(std::span<const PoolingMode> modes) {
  return std::all_of(modes.begin(), modes.end(), [](PoolingMode mode) { return mode == PoolingMode::cls; });
}

std::vector<float> project(const model::Dense& dense, std::span<const float> x) {
  assert(std::ssize(x) == dense.in);
  std::vector<float> y;
  y.reserve(dense.out);
  for (size_t row = 0; row < static_cast<size_t>(dense.out); ++row) {
    const double sum = nn::dot(x, dense.weight.data() + row * x.size());
    y.push_back(
        static_cast<float>(activate(dense.activation, dense.bias.empty() ? sum : sum + dense.bias[row])));
  }
  return y;
}

void normalize(std::span<float> x) {
  const double length = std::max(std::sqrt(nn::dot(x, x.data())), 1e-12);
  for (float& value : x) value = static_cast<float>(value / length);
}

double activate(nn::Activation activation, double x) {
  switch (activation) {
    case nn::Activation::none:
      return x;
    case nn::Activation::gelu:
      return 0.5 * x * std::erfc(-x * std::sqrt(0.5));
    case nn::Activation::gelu_tanh:
      return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
    case nn::Activation::relu:
      return x < 0 ? 0 : x;
    case nn::Activation::silu:
      return x / (1 + std::exp(-x));
    case nn::Activation::tanh:
      return std::tanh(x);
  }
  return x;
}

}  // namespace bert::heads
