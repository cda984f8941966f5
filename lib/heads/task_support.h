// Which tasks a model supports. Applying a head to the wrong task gives meaningless answers.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "features/features.h"
#include "model/config.h"
#include "model/directory.h"
#include "model/heads.h"
#include "task/task.h"

namespace bert::heads {

// Tasks supported by a model: first those of its architectures, the first one being that of --task auto, then
// those of heads in its weights, as in model::heads_in, that its architectures do not mention. Heads that
// share their tensors are told apart by the architectures alone; if these name none of them, each is
// possible.
std::vector<task::Task> tasks_of(const model::Config& config, std::span<const std::string_view> heads);

// Resolves `asked`, which may be automatic. Opens the weights if config.json is not sufficient. Throws Error,
// with the tasks the model supports, if it does not support this one.
task::Task task_for(task::Task asked, const model::Directory& directory);

// A note if the model in `path` tags sentences that it was trained to read within their documents, but is
// going to read each alone.
void check_context(const std::string& path, const model::Config& config,
                   const features::FeatureOptions& features, Log& log);

}  // namespace bert::heads
