#include "nn/embeddings.h"

#include <algorithm>
#include <vector>

namespace bert::nn {
namespace {

// The rows of the position table for the tokens of a sequence, one after another.
class PositionRows {
 public:
  explicit PositionRows(const Embeddings::Config& config)
      : first_(config.first_position), padding_(config.padding), next_(config.first_position) {}
  int64_t next(int32_t id) { return id == padding_ ? first_ - 1 : next_++; }

 private:
  const int64_t first_;
  const int32_t padding_;
  int64_t next_;
};

}  // namespace

Embeddings::Embeddings(const Config& config, Layout& layout)
    : config_(config), dropout_{.site = DropoutSite::embeddings, .rate = DropoutRate(config.dropout)} {
  if (config.words_only) return;
  if (config.positions > 0)
    position_table_ = layout.add_plain("embeddings.position_embeddings.weight",
                                       {config.first_position + config.positions, config.hidden});
  if (config.types > 0)
    type_table_ = layout.add_plain("embeddings.token_type_embeddings.weight", {config.types, config.hidden});
  if (config.projected > 0)
    projection_.emplace("embeddings.projection", config.projected, config.hidden, layout, Linear::Bias::no);
  norm_.emplace("embeddings.LayerNorm", config.projected > 0 ? config.projected : config.hidden,
                config.norm_epsilon, layout, config.norm_bias);
}

// Without backward, s is x.
void Embeddings::forward(const Pass& pass, const LookUp& words, const Batch& batch, Saved& saved,
                         Tensor& x) const {
  Tensor& s = norm_ && pass.keeps ? saved.s : x;
  add_up(pass, words, batch, projection_ ? saved.sums : s);
  if (projection_) projection_->forward(pass.context, pass.weights, saved.sums, Activation::none, s);
  if (norm_) norm_->forward(pass, {}, s, nullptr, x, x);
  drop(pass, dropout_, x, x);
}

void Embeddings::add_up(const Pass& pass, const LookUp& words, const Batch& batch, Tensor& sums) const {
  sums.reshape(batch.tokens(), config_.hidden);
  const float* const positions = position_table_ < 0 ? nullptr : pass.weights.plain(position_table_);
  const float* const types = type_table_ < 0 ? nullptr : pass.weights.plain(type_table_);
  const Kernels& kernels = pass.context.kernels();
  pass.context.pool().run_grid(batch.sequences(), [&](int64_t sequence, int) {
    PositionRows rows(config_);
    for (int64_t token = batch.offsets[sequence]; token < batch.offsets[sequence + 1]; ++token) {
      const int64_t position = rows.next(batch.ids[token]);
      float* const row = sums.row(token);
      words(batch.ids[token], {row, static_cast<size_t>(config_.hidden)});
      if (types != nullptr) kernels.add(config_.hidden, types + batch.types[token] * config_.hidden, row);
      if (positions != nullptr) kernels.add(config_.hidden, positions + position * config_.hidden, row);
    }
  });
}

// forward:  s = sums·Wᵀ     x = drop(norm(s))
void Embeddings::backward(const Pass& pass, const Batch& batch, Saved& saved, Tensor& dx,
                          std::span<float> dwords, Params& gradients) const {
  drop(pass, dropout_, dx, dx);
  if (norm_) norm_->backward(pass, saved.s, dx, dx, gradients);
  if (!projection_) return add_gradients(pass, batch, dx, dwords, gradients);
  projection_->backward_weights(pass.context, pass.weights, saved.sums, dx, 0, gradients, Linear::Bias::no);
  projection_->backward_input(pass.context, pass.weights, dx, 0, Into::replace, saved.sums);
  add_gradients(pass, batch, saved.sums, dwords, gradients);
}

// forward:  sums[m] = words[id] + positions[m - begin] + types[type]
// so        each row of dsums is added to the three rows it was summed from
//
// A task handles some columns of all rows, so that no two tasks add to the same number. Many tokens share a
// type, so their gradients are first summed for each sequence.
void Embeddings::add_gradients(const Pass& pass, const Batch& batch, const Tensor& dsums,
                               std::span<float> dwords, Params& gradients) const {
  constexpr int64_t kColumns = 64;
  const int64_t hidden = config_.hidden;
  float* const dpositions = position_table_ < 0 ? nullptr : gradients.tensor(position_table_).data();
  float* const dtypes = type_table_ < 0 ? nullptr : gradients.tensor(type_table_).data();
  const Kernels& kernels = pass.context.kernels();
  pass.context.pool().run_grid((hidden + kColumns - 1) / kColumns, [&](int64_t i, int) {
    const int64_t first = i * kColumns, count = std::min(kColumns, hidden - first);
    std::vector<float> type_sums(config_.types * kColumns);
    for (int64_t sequence = 0; sequence < batch.sequences(); ++sequence) {
      std::ranges::fill(type_sums, 0.0f);
      PositionRows rows(config_);
      for (int64_t token = batch.offsets[sequence]; token < batch.offsets[sequence + 1]; ++token) {
        const int64_t position = rows.next(batch.ids[token]);
        const float* const row = dsums.row(token) + first;
        kernels.add(count, row, dwords.data() + batch.ids[token] * hidden + first);
        if (dpositions != nullptr) kernels.add(count, row, dpositions + position * hidden + first);
        if (dtypes != nullptr) kernels.add(count, row, &type_sums[batch.types[token] * kColumns]);
      }
      for (int64_t type = 0; type < config_.types; ++type) {
        kernels.add(count, &type_sums[type * kColumns], dtypes + type * hidden + first);
      }
    }
  });
}

}  // namespace bert::nn
