#include "train/training_task.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "examples/pretrain_example.h"

namespace bert::train {

model::Heads TrainingTask::heads() const {
  const auto* head = model::head_of(options_.kind);
  return head == nullptr ? model::Heads() : model::Heads{head};
}

void TrainingTask::warn_of_masks(const Preparation& preparation) const {
  if (options_.mask == corpus::MaskRule()) return;
  preparation.source.peek([&](const io::Fields& fields, const io::Record&, int64_t) {
    if (examples::is_masked(fields))
      preparation.log.warn("the records are masked already: options of masking have no effect on them");
  });
}

void TrainingTask::describe(model::Config& config) const {
  config.architectures = {architecture()};
  config.problem_type = {};
  config.document_context = options_.features.document;
  config.labels = model::Config().labels;
}

// Each is defined in the file of its name.
using MakeTrainingTask = std::unique_ptr<TrainingTask>(const TaskInputs& inputs);
MakeTrainingTask make_pretrain_task, make_replaced_task, make_sentence_task, make_tag_task, make_answer_task,
    make_choose_task, make_embed_task, make_rank_task, make_distill_task;

std::unique_ptr<TrainingTask> make_training_task(const TaskInputs& inputs) {
  using enum task::Task;
  using Maker = std::pair<task::Task, MakeTrainingTask*>;
  constexpr Maker kMakers[] = {
      {pretrain, make_pretrain_task}, {replaced, make_replaced_task},   {classify, make_sentence_task},
      {regress, make_sentence_task},  {multilabel, make_sentence_task}, {tag, make_tag_task},
      {answer, make_answer_task},     {choose, make_choose_task},       {embed, make_embed_task},
      {rank, make_rank_task},         {distill, make_distill_task}};
  const auto maker = std::ranges::find(kMakers, inputs.options.kind, &Maker::first);
  assert(maker != std::end(kMakers));
  return maker->second(inputs);
}

}  // namespace bert::train
