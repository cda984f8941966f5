#include "train/learner.h"

#include <charconv>
#include <cstddef>
#include <string>

#include "json/json.h"

namespace bert::train {

std::vector<std::span<const std::unique_ptr<examples::Example>>> evaluation_parts(
    const examples::Examples& examples) {
  std::vector<std::span<const std::unique_ptr<examples::Example>>> parts;
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

double as_written(float number) {
  std::string digits;
  json::append_number(digits, number);
  double read = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), read);
  return read;
}

}  // namespace bert::train
