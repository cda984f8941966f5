#include "heads/scores.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <string>

#include "json/json.h"

namespace bert::heads {
namespace {

// Highest logit. Subtracting it before exp makes the largest term of the sum 1.
float highest(std::span<const float> logits) {
  require_finite(logits);
  float high = -INFINITY;
  for (const float logit : logits) high = std::max(high, logit);
  return high;
}

double exponential_sum(std::span<const float> logits, float high) {
  double sum = 0;
  for (const float logit : logits) sum += std::exp(static_cast<double>(logit) - high);
  return sum;
}

}  // namespace

double as_written(float number) {
  std::string digits;
  json::append_number(digits, number);
  double read = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), read);
  return read;
}

void require_finite(std::span<const float> logits) {
  for (size_t i = 0; i < logits.size(); ++i) {
    const float x = logits[i];
    if (std::isfinite(x)) continue;
    // The sign of a NaN depends on the processor.
    throw NotFinite("logit ", i, " is ", std::isnan(x) ? std::abs(x) : x, ", expected a finite number");
  }
}

float sigmoid(float logit) { return static_cast<float>(1 / (1 + std::exp(-static_cast<double>(logit)))); }

std::vector<float> softmax(std::span<const float> logits) {
  const float high = highest(logits);
  const double sum = exponential_sum(logits, high);
  std::vector<float> probabilities;
  probabilities.reserve(logits.size());
  for (const float logit : logits) {
    probabilities.push_back(static_cast<float>(std::exp(static_cast<double>(logit) - high) / sum));
  }
  return probabilities;
}

double entropy(std::span<const float> probabilities) {
  double sum = 0;
  for (const float p : probabilities)
    if (p > 0) sum -= p * std::log(static_cast<double>(p));
  return probabilities.size() < 2 ? 0 : sum / std::log(static_cast<double>(probabilities.size()));
}

double log_probability(std::span<const float> logits, int32_t id) {
  const float high = highest(logits);
  return static_cast<double>(logits[id]) - high - std::log(exponential_sum(logits, high));
}

int32_t best(std::span<const float> logits) {
  return std::max_element(logits.begin(), logits.end()) - logits.begin();
}

std::vector<Candidate> top_k(std::span<const float> logits, int64_t k, int64_t choices) {
  const float high = highest(logits);
  const double sum = exponential_sum(logits, high);
  // Heap of the best k so far, the worst on top: for most ids one comparison is enough.
  const auto better = [&](int32_t a, int32_t b) {
    const float x = logits[a], y = logits[b];
    return x != y ? x > y : a < b;
  };
  const int64_t count = std::min<int64_t>(choices, logits.size());
  std::vector<int32_t> ids(std::min(k, count));
  std::iota(ids.begin(), ids.end(), 0);
  std::make_heap(ids.begin(), ids.end(), better);
  for (int32_t id = ids.size(); id < count && !ids.empty(); ++id) {
    if (!better(id, ids.front())) continue;
    std::pop_heap(ids.begin(), ids.end(), better);
    ids.back() = id;
    std::push_heap(ids.begin(), ids.end(), better);
  }
  std::sort_heap(ids.begin(), ids.end(), better);
  std::vector<Candidate> candidates;
  for (const int32_t id : ids) {
    const double exponential = std::exp(static_cast<double>(logits[id]) - high);
    candidates.push_back({.id = id, .score = static_cast<float>(exponential / sum)});
  }
  return candidates;
}

void append_scores(std::string& out, std::span<const std::string> labels, std::span<const float> scores,
                   int precision) {
  json::Object object(out);
  for (size_t k = 0; k < labels.size(); ++k) object.number(labels[k], scores[k], precision);
  object.end();
}

}  // namespace bert::heads
