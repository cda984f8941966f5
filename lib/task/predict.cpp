#include "task/predict.h"

#include <iterator>
#include <utility>

#include "base/error.h"
#include "task/cut_texts.h"

namespace bert::task {
namespace {

data::FeatureOptions feature_options(const PredictOptions& options, const Task& task,
                                     const model::Directory& directory) {
  data::FeatureOptions features = options.features;
  features.max_length = sequence_limit(features.max_length, directory.max_length, directory.config);
  features.overflow = options.overflow.value_or(task.overflow());
  if (features.overflow == data::Overflow::split && !task.can_split()) {
    throw Error("this task reads a text whole: --overflow split is not for it");
  }
  return features;
}

}  // namespace

Predictor::Predictor(const model::Directory& directory, const text::Tokenizer& tokenizer,
                     PredictOptions options, Pool& pool, Log& log)
    : directory_(directory),
      options_(std::move(options)),
      pool_(pool),
      log_(log),
      task_(make_task(options_.task, directory.config, tokenizer)),
      featurizer_(tokenizer, feature_options(options_, *task_, directory)),
      network_(directory, task_->needs(), pool),
      writer_(options_.drop) {}

void Predictor::prepare(const io::Fields& fields, io::Record& record) const {
  auto reading = task_->read(fields, featurizer_);
  for (const Window& window : reading->windows) require_readable(window.features, directory_.config);
  record.work = std::move(reading);
}

int64_t Predictor::cost(const io::Record& record) const { return record.work_as<Reading>().tokens(); }

void Predictor::compute(std::span<io::Record* const> records) {
  run_windows<Window>(
      records, options_.batch_tokens,
      [this](const nn::Batch& batch, std::span<Window* const> windows) { run(batch, windows); });
}

void Predictor::run(const nn::Batch& batch, std::span<Window* const> windows) {
  std::vector<int64_t> rows;    // of the batch's tokens, those that the head reads
  std::vector<int64_t> counts;  // how many of them are of each window
  for (size_t i = 0; i < windows.size(); ++i) {
    const size_t before = rows.size();
    task_->positions(windows[i]->features, rows);
    for (size_t r = before; r < rows.size(); ++r) rows[r] += batch.offsets[i];
    counts.push_back(static_cast<int64_t>(rows.size() - before));
  }
  if (rows.empty()) return;
  const auto hidden = network_.hidden(
      batch, {.layers = {static_cast<int>(directory_.config.layers)}, .rows = std::move(rows)});
  auto answers = task_->compute(network_, pool_, hidden.front());
  auto next = std::make_move_iterator(answers.begin());
  for (size_t i = 0; i < windows.size(); ++i) {
    windows[i]->rows.assign(next, next + counts[i]);
    next += counts[i];
  }
}

void Predictor::finish(io::Record& record, std::string& out) const {
  const Reading& reading = record.work_as<Reading>();
  io::Added added;
  task_->answer(reading, added);
  record.truncated = reading.truncated;
  if (record.truncated) added.field("truncated") += "true";
  writer_.write(record, added, out);
  record.work.reset();
}

void Predictor::report_truncated(int64_t records) const {
  report_cut_texts(log_, records, *featurizer_.options().max_length);
}

}  // namespace bert::task
