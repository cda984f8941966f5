#include "task/task.h"

#include "base/error.h"
#include "task/cut_texts.h"

namespace bert::task {
namespace {

constexpr std::string_view kNames[] = {"auto", "fill",   "next",   "classify", "regress",   "multilabel",
                                       "tag",  "answer", "choose", "rank",     "perplexity"};

struct Use {
  std::string_view architecture;
  TaskKind task;
};

constexpr Use kUses[] = {
    {"BertForPreTraining", TaskKind::fill},        {"BertForMaskedLM", TaskKind::fill},
    {"BertLMHeadModel", TaskKind::fill},           {"BertForNextSentencePrediction", TaskKind::next},
    {"BertForTokenClassification", TaskKind::tag}, {"BertForQuestionAnswering", TaskKind::answer},
    {"BertForMultipleChoice", TaskKind::choose}};

TaskKind task_of_classifier(const model::Config& config) {
  const bool one = config.labels.size() == 1;
  if (config.problem_type == model::ProblemType::regression) return TaskKind::regress;
  if (config.problem_type == model::ProblemType::multi_label) return TaskKind::multilabel;
  if (!one) return TaskKind::classify;
  return config.cross_encoder ? TaskKind::rank : TaskKind::regress;
}

}  // namespace

std::string_view name_of(TaskKind kind) { return kNames[static_cast<size_t>(kind)]; }

TaskKind task_of(const model::Config& config) {
  if (config.has_architecture("BertForSequenceClassification")) return task_of_classifier(config);
  for (const Use& use : kUses) {
    if (config.has_architecture(use.architecture)) return use.task;
  }
  std::string tasks;
  for (const auto name : kNames) {
    if (name != "auto") tasks.append(tasks.empty() ? "" : ", ").append(name);
  }
  throw Error("the model has no head that says what it is for: give --task, one of ", tasks);
}

std::unique_ptr<Reading> Task::read(const io::Fields& fields, const data::Featurizer& featurizer) const {
  auto reading = std::make_unique<Reading>();
  for (data::Features& features : featurizer.windows(fields)) {
    reading->truncated |= features.truncated;
    reading->windows.push_back({.features = std::move(features)});
  }
  return reading;
}

void Task::report_cut(Log& log, int64_t records, int64_t max_length) const {
  report_cut_texts(log, records, max_length);
}

std::unique_ptr<Task> make_task(const TaskOptions& options, const model::Config& config,
                                const text::Tokenizer& tokenizer) {
  const TaskKind kind = options.task == TaskKind::automatic ? task_of(config) : options.task;
  switch (kind) {
    case TaskKind::fill:
      return make_fill(options, tokenizer);
    case TaskKind::next:
      return make_next(options);
    case TaskKind::classify:
      return make_classify(options, config);
    case TaskKind::regress:
      return make_regress(options, config);
    case TaskKind::multilabel:
      return make_multilabel(options, config);
    case TaskKind::rank:
      return make_rank(options, config);
    case TaskKind::choose:
      return make_choose(options);
    case TaskKind::tag:
      return make_tag(options, config);
    case TaskKind::perplexity:
      return make_perplexity(options, tokenizer);
    case TaskKind::answer:
      return make_answer(options, tokenizer);
    case TaskKind::automatic:
      break;
  }
  return nullptr;  // task_of says a task or throws
}

}  // namespace bert::task
