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

// Pre-training: Devlin et al. 2018, appendix A.2. Fine-tuning BERT-base and -large: appendix A.3 recommends
// 2e-5 to 5e-5, section 4.4 uses 2e-5 for multiple choice. Smaller models need higher rates: Turc et al. 2019
// chose among 3e-5 to 3e-4; on GLUE's tasks, 3e-4 was best for hidden size 256 (lib/default-model/README.md).
double default_rate(TaskKind kind, int64_t hidden) {
  if (kind == TaskKind::pretrain) return 1e-4;
  if (hidden < 512) return 3e-4;
  if (hidden < 768) return 1e-4;
  return kind == TaskKind::choose ? 2e-5 : 5e-5;
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
