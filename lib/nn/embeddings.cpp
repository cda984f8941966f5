#include "nn/embeddings.h"

#include <algorithm>
#include <vector>

namespace bert::nn {

Embeddings::Embeddings(const Config& config, Layout& layout)
    : config_(config),
      position_table_(layout.add_plain("embeddings.position_embeddings.weight",
                                       {config.first_position + config.positions, config.hidden})),
      type_table_(config.types == 0 ? -1
                                    : layout.add_plain("embeddings.token_type_embeddings.weight",
                                                       {config.types, config.hidden})),
      norm_("embeddings.LayerNorm", config.hidden, config.norm_epsilon, layout),
      dropout_{.site = DropoutSite::embeddings, .rate = DropoutRate(config.dropout)} {}

std::vector<int64_t> Embeddings::position_rows(const Batch& batch, int64_t sequence) const {
  std::vector<int64_t> rows;
  int64_t next = config_.first_position;
  for (int64_t token = batch.offsets[sequence]; token < batch.offsets[sequence + 1]; ++token)
    rows.push_back(batch.ids[token] == config_.padding ? config_.first_position - 1 : next++);
  return rows;
}

void Embeddings::forward(const Pass& pass, const LookUp& words, const Batch& batch, Tensor& s,
                         Tensor& x) const {
  s.reshape(batch.tokens(), config_.hidden);
  const float* const positions = pass.weights.plain(position_table_);
  const float* const types = config_.types == 0 ? nullptr : pass.weights.plain(type_table_);
  const Kernels& kernels = pass.context.kernels();
  pass.context.pool().run_grid(batch.sequences(), [&](int64_t sequence, int) {
    int64_t token = batch.offsets[sequence];
    for (const int64_t position : position_rows(batch, sequence)) {
      float* const row = s.row(token);
      words(batch.ids[token], {row, static_cast<size_t>(config_.hidden)});
      if (types != nullptr) kernels.add(config_.hidden, types + batch.types[token] * config_.hidden, row);
      kernels.add(config_.hidden, positions + position * config_.hidden, row);
      ++token;
    }
  });
  norm_.forward(pass, {}, s, nullptr, x, x);
  drop(pass, dropout_, x, x);
}

// forward:  s[m] = words[id] + positions[m - begin] + types[type]     x = drop(norm(s))
// so        each row of ds is added to the three rows it was summed from
//
// A task handles some columns of all rows, so that no two tasks add to the same number. Many tokens share a
// type, so their gradients are first summed for each sequence.
void Embeddings::backward(const Pass& pass, const Batch& batch, const Tensor& s, Tensor& dx,
                          std::span<float> dwords, Params& gradients) const {
  drop(pass, dropout_, dx, dx);
  norm_.backward(pass, s, dx, dx, gradients);
  constexpr int64_t kColumns = 64;
  const int64_t hidden = config_.hidden;
  float* const dpositions = gradients.tensor(position_table_).data();
  float* const dtypes = config_.types == 0 ? nullptr : gradients.tensor(type_table_).data();
  const Kernels& kernels = pass.context.kernels();
  pass.context.pool().run_grid((hidden + kColumns - 1) / kColumns, [&](int64_t i, int) {
    const int64_t first = i * kColumns, count = std::min(kColumns, hidden - first);
    std::vector<float> type_sums(config_.types * kColumns);
    for (int64_t sequence = 0; sequence < batch.sequences(); ++sequence) {
      std::ranges::fill(type_sums, 0.0f);
      int64_t token = batch.offsets[sequence];
      for (const int64_t position : position_rows(batch, sequence)) {
        const float* const row = dx.row(token) + first;
        kernels.add(count, row, dwords.data() + batch.ids[token] * hidden + first);
        kernels.add(count, row, dpositions + position * hidden + first);
        if (dtypes != nullptr) kernels.add(count, row, &type_sums[batch.types[token] * kColumns]);
        ++token;
      }
      for (int64_t type = 0; type < config_.types; ++type) {
        kernels.add(count, &type_sums[type * kColumns], dtypes + type * hidden + first);
      }
    }
  });
}

}  // namespace bert::nn
