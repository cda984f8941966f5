#include "heads/task_support.h"

#include <algorithm>
#include <string>

#include "base/error.h"
#include "base/option.h"

namespace bert::heads {
namespace {

using enum task::Task;
using model::Head;
using Tasks = std::vector<task::Task>;

bool contains(std::span<const task::Task> tasks, task::Task task) {
  return std::ranges::find(tasks, task) != tasks.end();
}

void add(Tasks& tasks, const Tasks& more) {
  for (const task::Task task : more) {
    if (!contains(tasks, task)) tasks.push_back(task);
  }
}

// Without problem_type, a classifier has one label for each text or, if it has a single label, is a
// regression, as in transformers.
Tasks tasks_of_text_classifier(const model::Config& config) {
  const bool one = config.labels.size() == 1;
  if (config.problem_type == model::ProblemType::regression)
    return one ? Tasks{regress, rank} : Tasks{regress};
  if (config.problem_type == model::ProblemType::multi_label)
    return one ? Tasks{multilabel, regress, rank} : Tasks{multilabel};
  if (!one) return {classify};
  return config.cross_encoder ? Tasks{rank, regress} : Tasks{regress, rank};
}

// The tasks of a head in a model.
Tasks tasks_of(const Head& head, const model::Config& config) {
  return &head == model::head_of(classify) ? tasks_of_text_classifier(config) : head.tasks;
}

// First those of the heads whose tensors are their own.
Tasks tasks_of_weights(const model::Config& config, std::span<const std::string_view> found) {
  const auto has = [&](std::string_view name) { return std::ranges::find(found, name) != found.end(); };
  Tasks tasks;
  for (const bool shared : {false, true}) {
    for (const Head& head : model::heads()) {
      const auto shares = [&](const Head& other) { return other.mark == head.mark; };
      const auto is_named = [&](const Head& other) { return shares(other) && has_head(config, other); };
      if ((std::ranges::count_if(model::heads(), shares) > 1) != shared || !has(head.name)) continue;
      if (shared && std::ranges::any_of(model::heads(), is_named)) continue;
      if (head.reads == model::Reads::tokens || has(model::kPooler)) add(tasks, tasks_of(head, config));
    }
  }
  return tasks;
}

std::string listed(std::span<const task::Task> tasks) {
  std::string list;
  for (const task::Task task : tasks) list.append(list.empty() ? "" : ", ").append(name_of(task));
  return list;
}

// "the model (BertForSequenceClassification, 3 labels, no problem_type)"
std::string described(const model::Config& config) {
  std::string names;
  for (const auto& name : config.architectures) names.append(names.empty() ? "" : ", ").append(name);
  if (names.empty()) return "the model (no architecture named)";
  if (has_head(config, *model::head_of(classify))) {
    const size_t labels = config.labels.size();
    names.append(", ").append(counted(labels, "label, ", "labels, "));
    names += (config.problem_type ? "problem_type " + std::string(name_of(*config.problem_type))
                                  : "no problem_type");
  }
  return "the model (" + names + ")";
}

// Pre-training tasks need no fine-tuning.
bool is_pretraining(task::Task task) {
  return task == fill || task == next || task == replaced || task == perplexity;
}

[[noreturn]] void refuse(task::Task asked, const model::Directory& directory, const Tasks& tasks) {
  const std::string model = directory.root + ": " + described(directory.config);
  if (asked != automatic) {
    throw Error(model, is_pretraining(asked) ? " is not trained for " : " is not fine-tuned for ",
                name_of(asked), "; ",
                tasks.empty() ? "it has no head" : "it can be used for " + listed(tasks),
                "; see bert-train(1)");
  }
  if (!tasks.empty())
    throw Error(model, " does not say which task it is for; use ", opt::task, " with one of ", listed(tasks));
  auto all = task::tasks_with(&task::Entry::predicted);
  std::erase(all, automatic);
  throw Error(model, " has no head and is not fine-tuned for a task (", listed(all), "); see bert-train(1)");
}

}  // namespace

Tasks tasks_of(const model::Config& config, std::span<const std::string_view> heads) {
  Tasks tasks;
  const Head* const text_classifier = model::head_of(classify);
  if (has_head(config, *text_classifier)) add(tasks, tasks_of(*text_classifier, config));
  for (const auto task : task::tasks_with(&task::Entry::predicted)) {
    const Head* head = model::head_of(task);
    if (head != nullptr && head != text_classifier && has_head(config, *head)) add(tasks, {task});
  }
  add(tasks, tasks_of_weights(config, heads));
  return tasks;
}

task::Task task_for(task::Task asked, const model::Directory& directory) {
  const Tasks named = tasks_of(directory.config, {});
  if (asked == automatic && !named.empty()) return named.front();
  if (contains(named, asked)) return asked;
  const Tasks all = tasks_of(directory.config, model::heads_in(directory.path));
  if (contains(all, asked)) return asked;
  refuse(asked, directory, all);
}

void check_context(const std::string& path, const model::Config& config,
                   const features::FeatureOptions& features, Log& log) {
  if (config.document_context && !features.document)
    log.warn(path + ": was trained with " + opt::context +
             " document, without which each sentence is read alone");
}

}  // namespace bert::heads
