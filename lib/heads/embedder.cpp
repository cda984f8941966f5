#include "heads/embedder.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "model/parts.h"
#include "nn/panels.h"

namespace bert::heads {

Embedder::Embedder(const model::Directory& directory, const VectorOptions& vectors,
                   const ComputeOptions& compute, Pool& pool)
    : directory_(directory),
      batch_tokens_(compute.batch_tokens),
      dtype_(model::arithmetic(directory.config, compute.dtype)),
      pool_(pool),
      plan_(vectors, directory) {}

void Embedder::compute(std::span<Windows<EmbeddedSequence>* const> texts) {
  load();
  run_windows<EmbeddedSequence>(texts, batch_tokens_,
                                [this](const nn::Batch& batch, std::span<EmbeddedSequence* const> sequences) {
                                  run(batch, sequences);
                                });
}

void Embedder::load() {
  if (!network_) network_.emplace(directory_, plan_.needs(), pool_, dtype_);
}

void Embedder::require_finite(std::span<const float> values) const {
  for (size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i]))
      throw Error("number ", i, " of the vector is ", values[i], ", expected a finite number",
                  network_->cause_of_not_finite());
  }
}

void Embedder::run(const nn::Batch& batch, std::span<EmbeddedSequence* const> sequences) {
  model::Network::Wanted wanted{.layers = plan_.mix().wanted(), .rows = {}};
  if (plan_.kind() == EmbedPlan::Kind::pooler) {
    wanted.rows = model::pooled_rows(directory_.config, batch);
  } else if (plan_.first_tokens_only()) {
    wanted.rows.emplace(batch.offsets.begin(), batch.offsets.end() - 1);
  }
  network_->hidden(batch, wanted, states_);
  if (plan_.kind() == EmbedPlan::Kind::pooler) return run_pooler(sequences);
  pool_.run_grid(batch.sequences(),
                 [&](int64_t i, int) { take(wanted.rows ? i : batch.offsets[i], *sequences[i]); });
}

void Embedder::run_pooler(std::span<EmbeddedSequence* const> sequences) {
  nn::Tensor first(sequences.size(), plan_.mix().width());
  std::vector<float> scratch;
  for (int64_t i = 0; i < first.rows(); ++i)
    std::ranges::copy(plan_.mix().token(states_, i, scratch), first.row(i));
  const nn::Tensor pooled = network_->pooled(first);
  for (int64_t i = 0; i < pooled.rows(); ++i) {
    const auto values = pooled.values(i);
    sequences[i]->values.assign(values.begin(), values.end());
  }
}

// The tokens of a sequence begin at `row` of the states. If only first tokens were computed, there is one
// row.
void Embedder::take(int64_t row, EmbeddedSequence& sequence) const {
  const int64_t tokens = plan_.first_tokens_only() ? 1 : std::ssize(sequence.features.ids);
  std::vector<float> scratch;
  if (plan_.kind() == EmbedPlan::Kind::tokens) {
    sequence.values.reserve(tokens * plan_.width());
    for (int64_t t = 0; t < tokens; ++t) {
      const auto token = plan_.mix().token(states_, row + t, scratch);
      const auto vector = plan_.finished({token.begin(), token.end()});
      sequence.values.insert(sequence.values.end(), vector.begin(), vector.end());
    }
    return;
  }
  SequencePooling pooling(plan_.modes(), plan_.mix().width());
  pooling.start(plan_.prompt_left_out() ? sequence.features.prompt : 0);
  for (int64_t t = 0; t < tokens; ++t) pooling.add(plan_.mix().token(states_, row + t, scratch));
  sequence.values.resize(pooling.width());
  pooling.finish(sequence.values);
}

std::vector<float> Embedder::vector(std::span<const EmbeddedSequence> windows) const {
  auto vector = plan_.finished(
      mean_by_tokens(windows, [](const EmbeddedSequence& window) { return std::span(window.values); }));
  require_finite(vector);
  return vector;
}

}  // namespace bert::heads
