#include "predict/predictor.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "base/error.h"
#include "base/option.h"
#include "heads/batches.h"

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
  heads::report_truncated_texts(log, records, max_length);
}

// Each is defined in the file of its name.
using MakePredictor = std::unique_ptr<Predictor>(const TaskOptions& options, const model::Config& config,
                                                 const text::Tokenizer& tokenizer);
MakePredictor make_sentence, make_masked_lm, make_replaced, make_tag, make_answer;

std::unique_ptr<Predictor> make_predictor(const TaskOptions& options, const model::Config& config,
                                          const text::Tokenizer& tokenizer) {
  using enum task::Task;
  constexpr std::pair<task::Task, MakePredictor*> kMakers[] = {
      {classify, make_sentence}, {multilabel, make_sentence},  {regress, make_sentence},
      {rank, make_sentence},     {next, make_sentence},        {choose, make_sentence},
      {fill, make_masked_lm},    {perplexity, make_masked_lm}, {replaced, make_replaced},
      {tag, make_tag},           {answer, make_answer}};
  const auto maker = std::ranges::find(kMakers, options.task, &std::pair<task::Task, MakePredictor*>::first);
  assert(maker != std::end(kMakers));
  return maker->second(options, config, tokenizer);
}

std::vector<Row> Predictor::compute(model::Network& network, Pool&, const nn::Tensor& hidden,
                                    std::span<const int32_t>) const {
  const auto logits = network.logits(hidden);
  std::vector<Row> rows(logits.rows());
  for (int64_t r = 0; r < logits.rows(); ++r) {
    const auto values = logits.values(r);
    rows[r].logits.assign(values.begin(), values.end());
  }
  return rows;
}

std::vector<float> mean_logits(std::span<const Window> windows) {
  auto logits = heads::mean_by_tokens(
      windows, [](const Window& window) { return std::span(window.rows.front().logits); });
  heads::require_finite(logits);
  return logits;
}

void require_labels(const model::Config& config, task::Task kind, size_t least) {
  if (config.labels.size() < least) {
    throw Error("the model has ", config.labels.size(), " label, ", opt::task, " ", name_of(kind),
                " requires at least ", least, "; use ", opt::task, " regress or rank");
  }
  std::vector<std::string> sorted = config.labels;
  std::sort(sorted.begin(), sorted.end());
  if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end()) {
    throw Error("the model's label \"", *twice,
                "\" appears twice in id2label of config.json; give each label a name of its own there");
  }
}

void require_one_label(const model::Config& config, task::Task kind) {
  if (config.labels.size() != 1) {
    throw Error("the model has ", counted(config.labels.size(), "label", "labels"), ", ", name_of(kind),
                " requires exactly one: models that predict several numbers are not supported");
  }
}

}  // namespace bert::predict
