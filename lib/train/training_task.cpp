#include "train/training_task.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace bert::train {

void TrainingTask::describe(model::Config& config) const {
  config.architectures = {architecture()};
  config.problem_type = {};
  config.labels = model::Config().labels;
}

std::unique_ptr<TrainingTask> make_training_task(const TrainingTaskOptions& options,
                                                 const text::Tokenizer& tokenizer,
                                                 const model::Config& config) {
  using enum task::Task;
  using Make = decltype(&make_sentence_task);
  constexpr std::pair<task::Task, Make> kMakers[] = {
      {pretrain, make_pretrain_task},   {classify, make_sentence_task}, {regress, make_sentence_task},
      {multilabel, make_sentence_task}, {tag, make_tag_task},           {answer, make_answer_task},
      {choose, make_choose_task}};
  const auto maker = std::ranges::find(kMakers, options.kind, &std::pair<task::Task, Make>::first);
  assert(maker != std::end(kMakers));
  return maker->second(options, tokenizer, config);
}

}  // namespace bert::train
