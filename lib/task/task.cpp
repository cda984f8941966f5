#include "task/task.h"

namespace bert::task {
namespace {

// In the order of Task and of the tools' help.
const std::vector<Entry>& table() {
  static const std::vector<Entry> entries = {
      {.task = Task::automatic, .name = "auto", .predicted = true},
      {.task = Task::pretrain,
       .name = "pretrain",
       .trained = true,
       .pipeline = "fill-mask",
       .reads_text = false,
       .reads_pair = false,
       .base_rate = 1e-4,
       .epochs = 1,
       .warmup_share = 0.01},
      {.task = Task::fill, .name = "fill", .predicted = true, .scored = true, .gold_field = "masked_lm_ids"},
      {.task = Task::next,
       .name = "next",
       .predicted = true,
       .scored = true,
       .gold_field = "next_sentence_label",
       .plotted = true,
       .reported = true,
       .confused = true,
       .has_loss = true},
      {.task = Task::replaced,
       .name = "replaced",
       .predicted = true,
       .trained = true,
       .scored = true,
       .gold_field = "labels",
       .plotted = true,
       .reported = true,
       .confused = true,
       .base_rate = 1e-4,
       .epochs = 1,
       .warmup_share = 0.01},
      {.task = Task::classify,
       .name = "classify",
       .predicted = true,
       .trained = true,
       .scored = true,
       .plotted = true,
       .reported = true,
       .confused = true,
       .curved = true,
       .has_loss = true,
       .pipeline = "text-classification"},
      {.task = Task::regress,
       .name = "regress",
       .predicted = true,
       .trained = true,
       .scored = true,
       .plotted = true,
       .has_loss = true,
       .pipeline = "text-classification"},
      {.task = Task::multilabel,
       .name = "multilabel",
       .predicted = true,
       .trained = true,
       .scored = true,
       .reported = true,
       .curved = true,
       .has_loss = true,
       .pipeline = "text-classification"},
      {.task = Task::tag,
       .name = "tag",
       .predicted = true,
       .trained = true,
       .scored = true,
       .gold_field = "tags",
       .plotted = true,
       .reported = true,
       .confused = true,
       .pipeline = "token-classification"},
      {.task = Task::answer,
       .name = "answer",
       .predicted = true,
       .trained = true,
       .scored = true,
       .gold_field = "answers",
       .pipeline = "question-answering",
       .reads_text = false,
       .reads_pair = false,
       .max_length = 384},
      {.task = Task::choose,
       .name = "choose",
       .predicted = true,
       .trained = true,
       .scored = true,
       .plotted = true,
       .reported = true,
       .confused = true,
       .has_loss = true,
       .pipeline = "multiple-choice",
       .reads_pair = false,
       .base_rate = 2e-5,
       .batch_size = 16},
      {.task = Task::embed,
       .name = "embed",
       .trained = true,
       .pipeline = "sentence-similarity",
       .sentence_model = true,
       .base_rate = 2e-5,
       .batch_size = 64,
       .epochs = 1},
      {.task = Task::rank,
       .name = "rank",
       .predicted = true,
       .trained = true,
       .scored = true,
       .pipeline = "text-ranking",
       .sentence_model = true,
       .base_rate = 2e-5,
       .batch_size = 16},
      {.task = Task::distill,
       .name = "distill",
       .trained = true,
       .pipeline = "feature-extraction",
       .base_rate = 3e-4,
       .epochs = 1,
       .warmup_share = 0.01},
      {.task = Task::perplexity, .name = "perplexity", .predicted = true},
  };
  return entries;
}

}  // namespace

const Entry& entry(Task task) { return table()[static_cast<size_t>(task)]; }
std::string_view name_of(Task task) { return entry(task).name; }

std::vector<Task> tasks_with(bool Entry::*use) {
  std::vector<Task> tasks;
  for (const auto& entry : table())
    if (entry.*use) tasks.push_back(entry.task);
  return tasks;
}

double default_rate(Task task, int64_t hidden) {
  const auto& entry = task::entry(task);
  if (task == Task::distill && hidden < 384) return 1e-3;
  if (reads_masks(task) || task == Task::distill || hidden >= 768) return entry.base_rate;
  return hidden < 384 ? 3e-4 : 1e-4;
}

}  // namespace bert::task
