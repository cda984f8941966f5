#include "predict/task.h"

#include "predict/truncated_texts.h"

namespace bert::predict {
namespace {

constexpr std::string_view kNames[] = {"auto", "fill",   "next",   "classify", "regress",   "multilabel",
                                       "tag",  "answer", "choose", "rank",     "perplexity"};

}  // namespace

std::string_view name_of(TaskKind kind) { return kNames[static_cast<size_t>(kind)]; }

std::unique_ptr<Reading> Task::read(const io::Fields& fields, const features::Featurizer& featurizer) const {
  auto reading = std::make_unique<Reading>();
  reading->of_ids = featurizer.takes_ids(fields);
  for (features::Features& features : featurizer.windows(fields)) {
    reading->truncated |= features.truncated;
    reading->windows.push_back({.features = std::move(features)});
  }
  return reading;
}

void Task::report_truncated(Log& log, int64_t records, int64_t max_length) const {
  report_truncated_texts(log, records, max_length);
}

std::unique_ptr<Task> make_task(const TaskOptions& options, const model::Config& config,
                                const text::Tokenizer& tokenizer) {
  switch (options.task) {
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
  return nullptr;  // excluded by task_for
}

}  // namespace bert::predict
