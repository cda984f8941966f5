#include "train/sentence_vectors.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "heads/pooling.h"
#include "nn/vector_losses.h"

namespace bert::train {
namespace {

// The rows of hidden() that belong to a sequence of the batch.
struct Rows {
  int64_t first, count;
};

Rows rows_of(const nn::Batch& batch, const nn::Tensor& hidden, int64_t sequence) {
  if (hidden.rows() == batch.sequences()) return {.first = sequence, .count = 1};
  return {.first = batch.offsets[sequence], .count = batch.length(sequence)};
}

std::span<float> numbers_of(nn::Tensor& tensor, int64_t row) {
  return {tensor.row(row), static_cast<size_t>(tensor.cols())};
}

}  // namespace

SentenceVectors::SentenceVectors(model::TrainingNetwork& network, std::vector<model::PoolingMode> pooling,
                                 Reads reads)
    : network_(network), pooling_(std::move(pooling)), reads_(reads) {}

int64_t SentenceVectors::pooled_width() const { return network_.config().hidden * std::ssize(pooling_); }

int64_t SentenceVectors::width() const {
  const auto projected = network_.config().projection.out;
  return projected == 0 ? pooled_width() : projected;
}

const nn::Tensor& SentenceVectors::forward(const nn::Batch& batch, const nn::DropoutSeed* dropout_seed,
                                           model::TrainingNetwork::Keep keep) {
  batch_ = &batch;
  std::vector<int64_t> rows;
  if (heads::only_first_token(pooling_)) {
    rows.assign(batch.offsets.begin(), batch.offsets.end() - 1);
  } else {
    rows.resize(batch.tokens());
    std::iota(rows.begin(), rows.end(), int64_t{0});
  }
  network_.forward(batch, rows, dropout_seed, keep);
  const auto& hidden = network_.hidden();
  const bool projects = network_.config().projection.out != 0, scales = reads_ == Reads::unit_length;
  pooled_.reshape(batch.sequences(), pooled_width());
  if (scales) units_.reshape(batch.sequences(), pooled_width());
  auto& pool = network_.context().pool();
  std::vector<heads::SequencePooling> poolings(pool.size(),
                                               heads::SequencePooling(pooling_, network_.config().hidden));
  pool.run_grid(batch.sequences(), [&](int64_t sequence, int thread) {
    auto& pooling = poolings[thread];
    const auto [first, count] = rows_of(batch, hidden, sequence);
    pooling.start();
    for (int64_t row = first; row < first + count; ++row) pooling.add(hidden.values(row));
    pooling.finish(numbers_of(pooled_, sequence));
    if (scales) nn::to_unit_length(pooled_.values(sequence), numbers_of(units_, sequence));
  });
  if (!projects) return pooled_;
  network_.project(scales ? units_ : pooled_, vectors_);
  return vectors_;
}

void SentenceVectors::backward(const nn::Tensor& gradient) {
  const nn::Tensor* dpooled = &gradient;
  if (network_.config().projection.out != 0) {
    const bool scales = reads_ == Reads::unit_length;
    network_.project_gradient(scales ? units_ : pooled_, gradient, scales ? dunits_ : dpooled_);
    if (scales) dpooled_.reshape(pooled_.rows(), pooled_.cols());
    for (int64_t row = 0; scales && row < pooled_.rows(); ++row)
      nn::unit_length_gradient(pooled_.values(row), dunits_.values(row), numbers_of(dpooled_, row));
    dpooled = &dpooled_;
  }
  const auto& hidden = network_.hidden();
  dhidden_.reshape(hidden.rows(), hidden.cols());
  for (int64_t row = 0; row < hidden.rows(); ++row) std::fill_n(dhidden_.row(row), hidden.cols(), 0.0f);
  network_.context().pool().run_grid(batch_->sequences(), [&](int64_t sequence, int) {
    const auto [first, count] = rows_of(*batch_, hidden, sequence);
    heads::pooling_gradient(pooling_, hidden, first, count, dpooled->values(sequence), dhidden_);
  });
  network_.hidden_gradient(dhidden_);
}

}  // namespace bert::train
