#include "nn/embeddings.h"

#include <algorithm>
#include <vector>

#include "nn/kernels.h"

namespace bert::nn {

Embeddings::Embeddings(const Config& config, Layout& layout)
    : config_(config),
      position_table_(
          layout.add_plain("embeddings.position_embeddings.weight", {config.positions, config.hidden})),
      type_table_(layout.add_plain("embeddings.token_type_embeddings.weight", {config.types, config.hidden})),
      norm_("embeddings.LayerNorm", config.hidden, config.norm_epsilon, layout),
      dropout_{.site = DropoutSite::embeddings, .rate = DropoutRate(config.dropout)} {}

void Embeddings::forward(Context& context, const Weights& weights, const Stored& words, const Batch& batch,
                         Tensor& x) const {
  x.reshape(batch.tokens(), config_.hidden);
  context.pool().run_grid(batch.sequences(), [&](int64_t sequence, int) {
    const int64_t begin = batch.offsets[static_cast<size_t>(sequence)];
    for (int64_t position = 0; position < batch.length(sequence); ++position) {
      float* row = x.row(begin + position);
      sum_row(weights, words, batch, begin + position, position, row);
      norm_.forward_row(weights, row, row);
    }
  });
}

void Embeddings::forward(const Pass& pass, std::span<const float> words, const Batch& batch, Tensor& s,
                         Tensor& x) const {
  const Stored stored = {.dtype = Dtype::f32, .data = std::as_bytes(words).data()};
  s.reshape(batch.tokens(), config_.hidden);
  pass.context.pool().run_grid(batch.sequences(), [&](int64_t sequence, int) {
    const int64_t begin = batch.offsets[static_cast<size_t>(sequence)];
    for (int64_t position = 0; position < batch.length(sequence); ++position) {
      sum_row(pass.weights, stored, batch, begin + position, position, s.row(begin + position));
    }
  });
  norm_.forward(pass.context, pass.weights, s, nullptr, x);
  drop(pass, dropout_, x, x);
}

void Embeddings::sum_row(const Weights& weights, const Stored& words, const Batch& batch, int64_t token,
                         int64_t position, float* row) const {
  const auto count = static_cast<size_t>(config_.hidden), place = static_cast<size_t>(token);
  const size_t row_bytes = count * size_of(words.dtype);
  to_f32(words.dtype, words.data + static_cast<size_t>(batch.ids[place]) * row_bytes, {row, count});
  kernels().add(config_.hidden, weights.plain(type_table_) + batch.types[place] * config_.hidden, row);
  kernels().add(config_.hidden, weights.plain(position_table_) + position * config_.hidden, row);
}

// forward:  s[m] = words[id] + positions[m - begin] + types[type]     x = drop(norm(s))
// so        each row of ds is added to the three rows it was summed from
//
// A task is some columns of all rows, so that no two add to one number. Many tokens share a type: their
// gradients are summed up by sequence first.
void Embeddings::backward(const Pass& pass, const Batch& batch, const Tensor& s, Tensor& dx,
                          std::span<float> dwords, Params& gradients) const {
  drop(pass, dropout_, dx, dx);
  norm_.backward(pass, s, dx, dx, gradients);
  constexpr int64_t kColumns = 64;
  const int64_t hidden = config_.hidden;
  float *const dpositions = gradients.tensor(position_table_).data(), *const dtypes =
                                                                          gradients.tensor(type_table_)
                                                                              .data();
  pass.context.pool().run_grid((hidden + kColumns - 1) / kColumns, [&](int64_t i, int) {
    const int64_t first = i * kColumns, count = std::min(kColumns, hidden - first);
    std::vector<float> type_sums(static_cast<size_t>(config_.types * kColumns));
    for (int64_t sequence = 0; sequence < batch.sequences(); ++sequence) {
      std::ranges::fill(type_sums, 0.0f);
      const int64_t begin = batch.offsets[static_cast<size_t>(sequence)];
      for (int64_t position = 0; position < batch.length(sequence); ++position) {
        const auto token = static_cast<size_t>(begin + position);
        const float* const row = dx.row(begin + position) + first;
        kernels().add(count, row, dwords.data() + batch.ids[token] * hidden + first);
        kernels().add(count, row, dpositions + position * hidden + first);
        kernels().add(count, row, &type_sums[static_cast<size_t>(batch.types[token] * kColumns)]);
      }
      for (int64_t type = 0; type < config_.types; ++type) {
        kernels().add(count, &type_sums[static_cast<size_t>(type * kColumns)],
                      dtypes + type * hidden + first);
      }
    }
  });
}

}  // namespace bert::nn
