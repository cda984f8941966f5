// The words of --task.
#pragma once

#include "cli/app.h"
#include "task/task.h"

namespace bert::cmd {

// The tasks of a tool: task_choices(&task::Entry::trained).
inline cli::Choices<task::Task> task_choices(bool task::Entry::*use) {
  cli::Choices<task::Task> choices;
  for (const auto task : task::tasks_with(use)) choices.emplace_back(task::name_of(task), task);
  return choices;
}

}  // namespace bert::cmd
