// What the tasks have in common that answer from the pooled vector of [CLS].
#pragma once

#include <span>
#include <string>
#include <vector>

#include "task/task.h"

namespace bert::task {

// A row for each of `logits` [R,K].
std::vector<Row> logit_rows(const nn::Tensor& logits);

// classifier(pooler(hidden)): [R,H] -> R rows of K logits.
std::vector<Row> classifier_rows(model::Network& network, const nn::Tensor& hidden);

// The logits of the record: of its one window, or the mean of its windows by their tokens, in double.
// Error when one is not finite.
std::vector<float> mean_logits(std::span<const Window> windows);

// Appends {"label": score, ...} in the order of the labels.
void append_scores(std::string& out, std::span<const std::string> labels, std::span<const float> scores,
                   int precision);

// Error unless the labels are `least` or more and none stands twice: they are keys of `scores`.
void require_labels(const model::Config& config, TaskKind kind, size_t least);

// Error unless the model has one label.
void require_one_label(const model::Config& config, TaskKind kind);

}  // namespace bert::task
