#include "predict/predictor.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "predict/truncated_texts.h"

namespace bert::predict {
std::unique_ptr<Reading> Predictor::read(const io::Fields& fields,
                                         const features::Featurizer& featurizer) const {
  auto reading = std::make_unique<Reading>();
  reading->of_ids = featurizer.takes_ids(fields);
  for (features::Features& features : featurizer.windows(fields)) {
    reading->truncated |= features.truncated;
    reading->windows.push_back({.features = std::move(features)});
  }
  return reading;
}

void Predictor::report_truncated(Log& log, int64_t records, int64_t max_length) const {
  report_truncated_texts(log, records, max_length);
}

std::unique_ptr<Predictor> make_predictor(const TaskOptions& options, const model::Config& config,
                                          const text::Tokenizer& tokenizer) {
  using enum task::Task;
  constexpr std::pair<task::Task, MakePredictor*> kMakers[] = {
      {classify, make_sentence}, {multilabel, make_sentence},  {regress, make_sentence},
      {rank, make_sentence},     {next, make_sentence},        {choose, make_sentence},
      {fill, make_masked_lm},    {perplexity, make_masked_lm}, {tag, make_tag},
      {answer, make_answer}};
  const auto maker = std::ranges::find(kMakers, options.task, &std::pair<task::Task, MakePredictor*>::first);
  assert(maker != std::end(kMakers));
  return maker->second(options, config, tokenizer);
}

}  // namespace bert::predict
