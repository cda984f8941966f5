#include "nn/relative_positions.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace bert::nn {
namespace {

// Half of the span has a row for each distance. From there to `distances`, the other half is shared on a
// logarithmic scale.
int64_t bucket(const RelativePositionConfig& config, int64_t distance) {
  const int64_t middle = config.span / 2, size = std::abs(distance);
  if (config.distances == 0 || size <= middle) return distance;
  const double half = middle;
  const double share = std::log(size / half) / std::log((config.distances - 1) / half);
  const auto row = middle + static_cast<int64_t>(std::ceil(share * (half - 1)));
  return distance < 0 ? -row : row;
}

}  // namespace

RelativePositions::RelativePositions(const RelativePositionConfig& config, int64_t hidden, float norm_epsilon,
                                     Layout& layout)
    : config_(config),
      hidden_(hidden),
      table_(layout.add_plain("encoder.rel_embeddings.weight", {2 * config.span, hidden})) {
  if (config.norm) norm_.emplace("encoder.LayerNorm", hidden, norm_epsilon, layout);
}

int64_t RelativePositions::row(const RelativePositionConfig& config, int64_t distance) {
  return std::clamp<int64_t>(bucket(config, -distance) + config.span, 0, 2 * config.span - 1);
}

void RelativePositions::gather(const Weights& weights, const PositionTable& table, Tensor& rows) const {
  const float* const from = weights.plain(table_) + table.first * hidden_;
  for (int64_t row = 0; row < rows.rows(); ++row) std::copy_n(from + row * hidden_, hidden_, rows.row(row));
}

void RelativePositions::forward(const Pass& pass, int64_t longest, PositionTable& table) const {
  table.longest = longest;
  table.first = row(config_, longest - 1);
  table.row_of.clear();
  for (int64_t distance = 1 - longest; distance < longest; ++distance)
    table.row_of.push_back(static_cast<int32_t>(row(config_, distance) - table.first));
  table.rows.reshape(table.row_of.front() + 1, hidden_);
  gather(pass.weights, table, table.rows);
  if (norm_) norm_->forward(pass, {}, table.rows, nullptr, table.rows, table.rows);
}

void RelativePositions::backward(const Pass& pass, const PositionTable& table, Tensor& drows,
                                 Params& gradients) const {
  if (norm_) {
    Tensor rows(drows.rows(), hidden_);
    gather(pass.weights, table, rows);
    norm_->backward(pass, rows, drows, drows, gradients);
  }
  float* const to = gradients.tensor(table_).data() + table.first * hidden_;
  for (int64_t row = 0; row < drows.rows(); ++row)
    pass.context.kernels().add(hidden_, drows.row(row), to + row * hidden_);
}

}  // namespace bert::nn
