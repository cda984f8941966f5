// Which tasks a model can do: another head's numbers would look like answers and mean nothing.
#pragma once

#include <span>
#include <vector>

#include "model/config.h"
#include "model/directory.h"
#include "model/heads.h"
#include "task/task.h"

namespace bert::task {

// The tasks of a model with this configuration, of which the first is the one that --task auto takes; then
// those of `heads` that its architectures do not speak of. Hugging Face's classifiers share the name of their
// tensor: what a classifier is for is said by the architectures, and by the shape alone only where they name
// no classifier.
std::vector<TaskKind> tasks_of(const model::Config& config, std::span<const model::Head> heads);

// The task to do where `asked` for, which may be automatic. Opens the weights where config.json alone does
// not tell. Error, with the tasks that the model fits, when it does not fit this one.
TaskKind task_for(TaskKind asked, const model::Directory& directory);

}  // namespace bert::task
