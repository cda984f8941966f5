// Which tasks a model supports. Applying a head to the wrong task gives meaningless answers.
#pragma once

#include <span>
#include <vector>

#include "model/config.h"
#include "model/directory.h"
#include "predict/predictor.h"

namespace bert::predict {

// Tasks supported by a model: first those of its architectures, the first one being that of --task auto, then
// those of `heads` that its architectures do not mention. All Hugging Face classifiers use the same tensor
// name, so the architectures determine the purpose of a classifier. Its shape is used only if they name no
// classifier.
std::vector<task::Task> tasks_of(const model::Config& config, std::span<const model::Head> heads);

// Resolves `asked`, which may be automatic. Opens the weights if config.json is not sufficient. Throws Error,
// with the tasks the model supports, if it does not support this one.
task::Task task_for(task::Task asked, const model::Directory& directory);

}  // namespace bert::predict
