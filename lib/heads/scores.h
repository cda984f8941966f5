// Converts logits to probabilities and decisions. Sums are in double, in the order of the ids.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"

namespace bert::heads {

// A logit is NaN or infinite. PredictFilter adds the cause.
class NotFinite : public Error {
 public:
  using Error::Error;
};

// Throws it unless all are finite.
void require_finite(std::span<const float> logits);

float sigmoid(float logit);

// The number as the output has it and bert-score reads it: the shortest decimal of its float. Thresholds are
// compared with it, since people take them from there.
double as_written(float number);

// exp(x_i - max) / Σ exp(x_j - max). Throws NotFinite if a logit is NaN or infinite.
std::vector<float> softmax(std::span<const float> logits);

// The entropy of probabilities with sum 1 divided by the highest one for their number: 0 (certain) to 1.
double entropy(std::span<const float> probabilities);

// log softmax(logits)[id], in double. Throws Error as softmax does.
double log_probability(std::span<const float> logits, int32_t id);

// Id of the highest logit; on ties the lowest id.
int32_t best(std::span<const float> logits);

// Appends {"label": score, ...} in the order of the labels.
void append_scores(std::string& out, std::span<const std::string> labels, std::span<const float> scores,
                   int precision);

struct Candidate {
  int32_t id = 0;
  float score = 0;  // probability
};

// The `k` most probable ids, or all if there are fewer, best first; on ties the lower id first. Only ids
// below `choices` are candidates, but the probabilities are over all logits. Throws Error as softmax does.
std::vector<Candidate> top_k(std::span<const float> logits, int64_t k, int64_t choices);

}  // namespace bert::heads
