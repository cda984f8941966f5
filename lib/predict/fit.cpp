#include "predict/fit.h"

#include <algorithm>
#include <string>

#include "base/error.h"

namespace bert::predict {
namespace {

using enum task::Task;
using model::Head;
using Tasks = std::vector<task::Task>;

constexpr std::string_view kTextClassifier = "BertForSequenceClassification";

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

bool names_classifier(const model::Config& config) {
  return config.has_architecture(kTextClassifier) || config.has_architecture("BertForTokenClassification") ||
         config.has_architecture("BertForMultipleChoice");
}

Tasks tasks_of_heads(const model::Config& config, std::span<const Head> heads) {
  const auto has = [&](Head head) { return std::ranges::find(heads, head) != heads.end(); };
  Tasks tasks;
  if (has(Head::masked_lm)) add(tasks, {fill, perplexity});
  if (has(Head::next_sentence) && has(Head::pooler)) add(tasks, {next});
  if (has(Head::question_answering)) add(tasks, {answer});
  if (has(Head::classifier) && !names_classifier(config)) {
    if (has(Head::pooler)) add(tasks, tasks_of_text_classifier(config));
    add(tasks, {tag});
    if (has(Head::pooler)) add(tasks, {choose});
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
  if (config.has_architecture(kTextClassifier)) {
    const size_t labels = config.labels.size();
    names.append(", ").append(counted(labels, "label, ", "labels, "));
    names += (config.problem_type ? "problem_type " + std::string(name_of(*config.problem_type))
                                  : "no problem_type");
  }
  return "the model (" + names + ")";
}

// Pre-training tasks need no fine-tuning.
bool is_pretraining(task::Task task) { return task == fill || task == next || task == perplexity; }

[[noreturn]] void refuse(task::Task asked, const model::Directory& directory, const Tasks& tasks) {
  const std::string model = directory.root + ": " + described(directory.config);
  if (asked != automatic) {
    throw Error(model, is_pretraining(asked) ? " is not trained for " : " is not fine-tuned for ",
                name_of(asked), "; ",
                tasks.empty() ? "it has no head" : "it can be used for " + listed(tasks),
                "; see bert-train(1)");
  }
  if (!tasks.empty())
    throw Error(model, " does not say which task it is for; use --task with one of ", listed(tasks));
  auto all = task::tasks_with(&task::Entry::predicted);
  std::erase(all, automatic);
  throw Error(model, " has no head and is not fine-tuned for a task (", listed(all), "); see bert-train(1)");
}

}  // namespace

Tasks tasks_of(const model::Config& config, std::span<const Head> heads) {
  Tasks tasks;
  if (config.has_architecture(kTextClassifier)) add(tasks, tasks_of_text_classifier(config));
  for (const auto task : task::tasks_with(&task::Entry::predicted)) {
    const auto& architectures = task::entry(task).architectures;
    if (std::ranges::any_of(architectures, [&](auto name) { return config.has_architecture(name); }))
      add(tasks, {task});
  }
  add(tasks, tasks_of_heads(config, heads));
  return tasks;
}

task::Task task_for(task::Task asked, const model::Directory& directory) {
  const Tasks named = tasks_of(directory.config, {});
  if (asked == automatic && !named.empty()) return named.front();
  if (contains(named, asked)) return asked;
  const Tasks all = tasks_of(directory.config, model::heads_of(directory));
  if (contains(all, asked)) return asked;
  refuse(asked, directory, all);
}

}  // namespace bert::predict
