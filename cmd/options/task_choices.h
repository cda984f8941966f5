// The words of --task, and which options belong to which task.
#pragma once

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

#include "cli/app.h"
#include "task/task.h"

namespace bert::cmd {

// The tasks of a tool: task_choices(&task::Entry::trained).
inline cli::Choices<task::Task> task_choices(bool task::Entry::*use) {
  cli::Choices<task::Task> choices;
  for (const auto task : task::tasks_with(use)) choices.emplace_back(task::name_of(task), task);
  return choices;
}

// An option that only these tasks use.
struct OptionUse {
  std::string_view option;
  std::vector<task::Task> tasks;
};

// Throws UsageError if an option of another task was given.
inline void check_uses(const cli::App& app, std::span<const OptionUse> uses, task::Task task) {
  for (const auto& use : uses) {
    if (app.given(use.option) && std::ranges::find(use.tasks, task) == use.tasks.end())
      throw cli::UsageError(use.option, " is not for --task ", task::name_of(task));
  }
}

}  // namespace bert::cmd
