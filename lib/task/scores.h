// From the logits of a head to probabilities and choices. All sums are in double and in the order of the ids.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace bert::task {

float sigmoid(float logit);

// exp(x_i - max) / Σ exp(x_j - max). Error when a logit is NaN or infinite.
std::vector<float> softmax(std::span<const float> logits);

// log softmax(logits)[id], in double. Error as softmax.
double log_probability(std::span<const float> logits, int32_t id);

// The id of the highest logit, the lowest id among equals.
int32_t best(std::span<const float> logits);

struct Candidate {
  int32_t id = 0;
  float score = 0;  // probability
};

// The `k` most probable ids (fewer when there are not so many), best first, the lower id first among equal
// logits. Only ids below `choices` are candidates; the probabilities are over all logits. Error as softmax.
std::vector<Candidate> top_k(std::span<const float> logits, int64_t k, int64_t choices);

}  // namespace bert::task
