#include "train/learner.h"

#include <cstddef>

namespace bert::train {

std::vector<std::span<const std::unique_ptr<data::Example>>> evaluation_parts(
    const data::Examples& examples) {
  std::vector<std::span<const std::unique_ptr<data::Example>>> parts;
  const std::span all(examples);
  for (size_t first = 0, end = 0; first < all.size(); first = end) {
    int64_t tokens = 0;
    while (end < all.size() && (end == first || tokens + all[end]->tokens() <= kEvaluationTokens)) {
      tokens += all[end++]->tokens();
    }
    parts.push_back(all.subspan(first, end - first));
  }
  return parts;
}

}  // namespace bert::train
