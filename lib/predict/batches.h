// Groups the sequences of many records into batches of bounded size.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "features/features.h"
#include "model/config.h"
#include "nn/batch.h"

namespace bert::predict {

// Concatenates the sequences in order and calls `run` with each batch and the index of its first sequence. A
// batch has at most `budget` tokens, unless a single sequence is longer.
void run_in_batches(std::span<const features::Features* const> sequences, int64_t budget,
                    const std::function<void(const nn::Batch& batch, size_t first)>& run);
// The same for `count` sequences created on demand; each is used before the next is requested.
void run_in_batches(size_t count, const std::function<const features::Features&(size_t i)>& sequence,
                    int64_t budget, const std::function<void(const nn::Batch& batch, size_t first)>& run);

// Throws Error if the network cannot read the sequence: no ids, an id or token type out of range, or more
// tokens than positions. Check before batching, so that the error refers to one record.
void require_readable(std::span<const int32_t> ids, std::span<const int32_t> types,
                      const model::Config& config);
inline void require_readable(const features::Features& features, const model::Config& config) {
  require_readable(features.ids, features.types, config);
}

// Maximum sequence length in tokens: `asked` if given, otherwise `longest`. Throws Error if `asked` exceeds
// the model's positions.
int64_t sequence_limit(std::optional<int64_t> asked, int64_t longest, const model::Config& config);

}  // namespace bert::predict
