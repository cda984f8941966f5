// What the training of other representations than one vector has in common: texts are compared by in-batch
// negatives or by the scores of a teacher.
#pragma once

#include <string>
#include <string_view>

#include "nn/similarity_losses.h"
#include "train/settings.h"
#include "train/training_task.h"

namespace bert::train {

std::string_view name_of(nn::SimilarityLoss loss);

// Throws Error for options that cannot be used with `what`.
void require_compared_texts(const EmbedTaskOptions& options, const std::string& what);
// Throws Error for a model without layers.
void require_layers(const model::Config& config, const std::string& what);
// `has_label`: the first record.
void warn_of_compared_texts(const Preparation& preparation, nn::SimilarityLoss loss, bool has_label,
                            const std::string& label_field);
void add_compared_texts(const nn::SimilarityOptions& loss, Settings& settings);

}  // namespace bert::train
