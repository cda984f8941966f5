// The tokens of many sequences, concatenated in [M] without padding or mask.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace bert::nn {

struct Batch {
  std::vector<int32_t> ids;            // [M] ids in the vocabulary
  std::vector<int32_t> types;          // [M] token types (segments)
  std::vector<int64_t> offsets = {0};  // [B+1] start of each sequence; the last one is M
  // [B] how many tokens of each sequence, the first ones, all its tokens attend to; kAll: all. Empty: all.
  std::vector<int64_t> seen;
  static constexpr int64_t kAll = -1;

  // Appends a sequence of at least one token. Both spans must have the same length.
  void add(std::span<const int32_t> sequence_ids, std::span<const int32_t> sequence_types,
           std::optional<int64_t> seen_tokens = {}) {
    ids.insert(ids.end(), sequence_ids.begin(), sequence_ids.end());
    types.insert(types.end(), sequence_types.begin(), sequence_types.end());
    if (seen_tokens || !seen.empty()) {
      seen.resize(sequences(), kAll);
      seen.push_back(seen_tokens.value_or(kAll));
    }
    offsets.push_back(ids.size());
  }
  int64_t tokens() const { return ids.size(); }
  int64_t sequences() const { return std::ssize(offsets) - 1; }
  int64_t length(int64_t sequence) const { return offsets[sequence + 1] - offsets[sequence]; }
};

}  // namespace bert::nn
