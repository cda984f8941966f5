// Shared code of the tasks that use the pooled [CLS] vector.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "predict/predictor.h"

namespace bert::predict {

// One row for each row of `logits` [R,K].
std::vector<Row> logit_rows(const nn::Tensor& logits);

// Logits of a record: those of its window, or the mean over its windows weighted by tokens, in double. Throws
// Error if one is not finite.
std::vector<float> mean_logits(std::span<const Window> windows);

// Throws Error unless there are at least `least` distinct labels; they become keys of `scores`.
void require_labels(const model::Config& config, task::Task kind, size_t least);

// Throws Error unless the model has exactly one label.
void require_one_label(const model::Config& config, task::Task kind);

}  // namespace bert::predict
