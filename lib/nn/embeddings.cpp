#include "nn/embeddings.h"

#include <algorithm>

#include "nn/kernels.h"

namespace bert::nn {

Embeddings::Embeddings(const Config& config, Layout& layout)
    : config_(config),
      position_table_(
          layout.add_plain("embeddings.position_embeddings.weight", {config.positions, config.hidden})),
      type_table_(layout.add_plain("embeddings.token_type_embeddings.weight", {config.types, config.hidden})),
      norm_("embeddings.LayerNorm", config.hidden, config.norm_epsilon, layout) {}

void Embeddings::forward(Context& context, const Weights& weights, const Stored& words, const Batch& batch,
                         Tensor& x) const {
  const int64_t hidden = config_.hidden;
  const auto count = static_cast<size_t>(hidden);
  const size_t row_bytes = count * size_of(words.dtype);
  const float *positions = weights.plain(position_table_), *types = weights.plain(type_table_);
  x.reshape(batch.tokens(), hidden);
  context.pool().run_grid(batch.sequences(), [&](int64_t sequence, int) {
    const int64_t begin = batch.offsets[static_cast<size_t>(sequence)];
    for (int64_t position = 0; position < batch.length(sequence); ++position) {
      const auto token = static_cast<size_t>(begin + position);
      float* row = x.row(begin + position);
      to_f32(words.dtype, words.data + static_cast<size_t>(batch.ids[token]) * row_bytes, {row, count});
      kernels().add(hidden, types + batch.types[token] * hidden, row);
      kernels().add(hidden, positions + position * hidden, row);
      norm_.forward_row(weights, row, row);
    }
  });
}

}  // namespace bert::nn
