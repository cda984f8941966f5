// The words of --task, and the tasks of options.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "base/option.h"
#include "cli/app.h"
#include "task/task.h"

namespace bert::cmd {

// The tasks of a tool: task_choices(&task::Entry::trained).
inline cli::Choices<task::Task> task_choices(bool task::Entry::*use) {
  cli::Choices<task::Task> choices;
  for (const auto task : task::tasks_with(use)) choices.emplace_back(task::name_of(task), task);
  return choices;
}

// For Declaration::only_for.
inline std::vector<std::string_view> tasks(const std::vector<task::Task>& tasks) {
  std::vector<std::string_view> names;
  for (const auto task : tasks) names.push_back(task::name_of(task));
  return names;
}

// Throws UsageError if an option of another task was given.
inline void select_task(const cli::App& app, task::Task task) { app.select(opt::task, task::name_of(task)); }

// Throws UsageError if a field of texts was named for a task that reads other fields.
inline void check_text_fields(const cli::App& app, task::Task task) {
  const auto& entry = task::entry(task);
  for (const auto& [name, reads] :
       {std::pair(opt::text_field, entry.reads_text), {opt::pair_field, entry.reads_pair}})
    if (!reads && app.given(name))
      throw cli::UsageError(name, " is not for --task ", entry.name, ", which reads other fields");
}

}  // namespace bert::cmd
