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

Figures ClassifierLearner::learn(const examples::Step& step, const StepPlace& place) {
  Total total;
  for (const auto& batch : step.batches) total.importance += importance(batch);
  const float weight = total.importance > 0 ? static_cast<float>(1 / total.importance) : 0;
  network_.clear_gradients();
  nn::Chance chance = {.seed = place.seed, .step = place.step};
  for (const auto& batch : step.batches) {
    nn::Tensor& gradient = logits(batch, &chance, keep_);
    total.loss += loss(batch, weight, gradient);
    backward(gradient);
    network_.backward();
    chance.first_sequence += static_cast<uint64_t>(batch_.sequences());
  }
  Figures figures = {{"loss", total.mean()}};
  if (counts_correct()) figures.push_back({"accuracy", total.loss.accuracy()});
  return figures;
}

void ClassifierLearner::evaluate(const examples::Examples& examples) {
  for (const auto part : evaluation_parts(examples)) {
    nn::Tensor& numbers = logits(part, nullptr, Keep::nothing);
    add_predictions(part, numbers);
    evaluated_.loss += loss(part, 0, numbers);
    evaluated_.importance += importance(part);
  }
}

double as_written(float number) {
  std::string digits;
  json::append_number(digits, number);
  double read = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), read);
  return read;
}

}  // namespace bert::train
