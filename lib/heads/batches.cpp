#include "heads/batches.h"

#include "base/error.h"

namespace bert::heads {

void run_in_batches(std::span<const features::Features* const> sequences, int64_t budget,
                    const std::function<void(const nn::Batch& batch, size_t first)>& run) {
  run_in_batches(
      sequences.size(), [&](size_t i) -> const features::Features& { return *sequences[i]; }, budget, run);
}

void run_in_batches(size_t count, const std::function<const features::Features&(size_t i)>& get,
                    int64_t budget, const std::function<void(const nn::Batch& batch, size_t first)>& run) {
  nn::Batch batch;
  size_t first = 0;
  for (size_t i = 0; i < count; ++i) {
    const features::Features& sequence = get(i);
    if (batch.sequences() > 0 && batch.tokens() + std::ssize(sequence.ids) > budget) {
      run(batch, first);
      batch = {};
      first = i;
    }
    batch.add(sequence.ids, sequence.types, sequence.seen);
  }
  if (batch.sequences() > 0) run(batch, first);
}

void require_readable(std::span<const int32_t> ids, std::span<const int32_t> types,
                      const model::Config& config) {
  const int64_t length = ids.size();
  if (length < config.least_tokens()) throw Error("input_ids is empty, expected at least one token");
  if (length > config.positions) {
    throw Error("the sequence has ", length, " tokens, the model reads at most ", config.positions);
  }
  for (int64_t i = 0; i < length; ++i) {
    const int32_t id = ids[i], type = types[i];
    if (id < 0 || id >= config.vocab_size) {
      throw Error("token ", i, " has id ", id, ", expected 0 to ", config.vocab_size - 1);
    }
    if (config.types > 0 && (type < 0 || type >= config.types)) {
      throw Error("token ", i, " has type ", type, ", expected 0 to ", config.types - 1);
    }
  }
}

int64_t sequence_limit(std::optional<int64_t> asked, int64_t longest, const model::Config& config) {
  if (!asked) return longest;
  if (*asked > config.positions) {
    throw Error("a maximum length of ", *asked, " tokens is more than the model's ", config.positions,
                " positions");
  }
  return *asked;
}

}  // namespace bert::heads
