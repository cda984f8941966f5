#include "train/training_task.h"

namespace bert::train {

std::string_view name_of(TaskKind kind) {
  switch (kind) {
    case TaskKind::pretrain:
      return "pretrain";
    case TaskKind::classify:
      return "classify";
    case TaskKind::regress:
      return "regress";
    case TaskKind::multilabel:
      return "multilabel";
    case TaskKind::tag:
      return "tag";
    case TaskKind::answer:
      return "answer";
    case TaskKind::choose:
      break;
  }
  return "choose";
}

std::unique_ptr<TrainingTask> make_training_task(const TrainingTaskOptions& options,
                                                 const text::Tokenizer& tokenizer,
                                                 const model::Config& config) {
  switch (options.kind) {
    case TaskKind::pretrain:
      return make_pretrain_task(options, tokenizer, config);
    case TaskKind::classify:
    case TaskKind::regress:
    case TaskKind::multilabel:
      return make_sentence_task(options, tokenizer, config);
    case TaskKind::tag:
      return make_tag_task(options, tokenizer, config);
    case TaskKind::answer:
      return make_answer_task(options, tokenizer, config);
    case TaskKind::choose:
      break;
  }
  return make_choose_task(options, tokenizer, config);
}

}  // namespace bert::train
