// From the sequences of many records to batches of a bounded number of tokens.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "data/features.h"
#include "model/config.h"
#include "nn/batch.h"

namespace bert::task {

// Lays the sequences end to end, in order, and calls `run` with each batch and the index of its first
// sequence. A batch has at most `budget` tokens, or one sequence that is longer by itself.
void run_in_batches(std::span<const data::Features* const> sequences, int64_t budget,
                    const std::function<void(const nn::Batch& batch, size_t first)>& run);
// The same of `count` sequences that are made one by one; each is used before the next is asked for.
void run_in_batches(size_t count, const std::function<const data::Features&(size_t i)>& sequence,
                    int64_t budget, const std::function<void(const nn::Batch& batch, size_t first)>& run);

// Error when the network cannot read the sequence: no ids, one outside the vocabulary or the token types, or
// more tokens than positions. Before the batch is made, so that the error is the record's alone.
void require_readable(std::span<const int32_t> ids, std::span<const int32_t> types,
                      const model::Config& config);
inline void require_readable(const data::Features& features, const model::Config& config) {
  require_readable(features.ids, features.types, config);
}

// The most tokens of a sequence: `asked` where given, else `longest`. Error when more is asked than the
// model's positions allow.
int64_t sequence_limit(std::optional<int64_t> asked, int64_t longest, const model::Config& config);

}  // namespace bert::task
