#include "train/training_task.h"

#include "base/error.h"

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
      break;
    case TaskKind::answer:
      return make_answer_task(options, tokenizer, config);
    case TaskKind::choose:
      return make_choose_task(options, tokenizer, config);
  }
  throw Error("--task ", name_of(options.kind), " is not built yet");
}

}  // namespace bert::train
