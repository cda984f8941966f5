// The tasks whose head reads the pooler's output (Devlin et al. 2018, sections 3.1, 4.1 and 4.4). A
// record with several windows has the mean of their logits.
#include <algorithm>
#include <array>
#include <atomic>

#include "base/error.h"
#include "base/option.h"
#include "features/candidates.h"
#include "features/choose_sequences.h"
#include "json/json.h"
#include "predict/predictor.h"

namespace bert::predict {
namespace {

// Whether the record has a second text; ids tell by their types.
bool is_pair(const Reading& reading) {
  const features::Features& features = reading.windows.front().features;
  return features.pair || std::ranges::find(features.types, 1) != features.types.end();
}

// Reads a record, which must have a second text.
std::unique_ptr<Reading> read_pair(const Predictor& task, task::Task name, const io::Fields& fields,
                                   const features::Featurizer& featurizer) {
  auto reading = task.Predictor::read(fields, featurizer);
  if (is_pair(*reading)) return reading;
  if (reading->of_ids)
    throw Error(opt::task, " ", name_of(name), " requires a pair, but token_type_ids are all 0");
  if (featurizer.options().pair_field.empty())
    throw Error(opt::task, " ", name_of(name), " requires a pair, but ", opt::pair_field, " is empty");
  try {
    fields.required_text(featurizer.options().pair_field);  // throws: it is missing or null
  } catch (const io::MissingColumn&) {
    throw;
  } catch (const Error& error) {
    throw Error(opt::task, " ", name_of(name), " requires a pair, but ", error.what());
  }
  return reading;
}

class SentenceTask : public Predictor {
 public:
  SentenceTask(const TaskOptions& options, const model::Config& config)
      : config_(config),
        precision_(options.precision),
        expects_pairs_(config.cross_encoder ? true : config.pairs) {}

  std::unique_ptr<Reading> read(const io::Fields& fields,
                                const features::Featurizer& featurizer) const override {
    auto reading = Predictor::read(fields, featurizer);
    (is_pair(*reading) ? pairs_ : texts_).fetch_add(1, std::memory_order_relaxed);
    if (reading->of_ids) return reading;
    const auto& features = reading->windows.front().features;
    if (features::is_empty(features)) empty_.fetch_add(1, std::memory_order_relaxed);
    empty_seconds_.add(features);
    return reading;
  }

  void report(Log& log) const override {
    if (empty_ > 0)
      log.warn(
          counted(empty_, "text is empty; its prediction says", "texts are empty; their predictions say") +
          " nothing");
    empty_seconds_.report(log);
    if (expects_pairs_ == true && texts_ > 0)
      log.warn((pairs_ == 0 ? "no record has" : counted(texts_, "record has no", "records have no")) +
               std::string(pairs_ == 0 ? " a" : "") + " second text, but the model was trained on pairs; " +
               opt::pair_field + " names its field");
    if (expects_pairs_ == false && pairs_ > 0)
      log.warn(counted(pairs_, "record has", "records have") +
               " a second text, but the model was trained on single texts; " + opt::pair_field +
               " '' leaves it out");
  }

  void positions(const Window& window, std::vector<int64_t>& positions) const override {
    positions.push_back(config_.pooled_position(std::ssize(window.features.ids)));
  }

  std::optional<size_t> row_width() const override { return config_.labels.size(); }
  std::vector<float> numbers(const Reading& reading) const override {
    return heads::softmax(mean_logits(reading.windows));
  }

 protected:
  // The likeliest of `labels`, and the probabilities of all.
  void add_likeliest(const Reading& reading, std::span<const std::string> labels, io::Added& added) const {
    const auto logits = mean_logits(reading.windows);
    const auto scores = heads::softmax(logits);
    added.string("prediction", labels[heads::best(logits)]);
    heads::append_scores(added.field("scores"), labels, scores, precision_);
  }

  const model::Config& config_;
  int precision_;

 private:
  mutable std::atomic<int64_t> empty_ = 0;  // texts
  features::EmptySecondTexts empty_seconds_;
  std::optional<bool> expects_pairs_;
  mutable std::atomic<int64_t> texts_ = 0, pairs_ = 0;  // records
};

class Classify final : public SentenceTask {
 public:
  Classify(const TaskOptions& options, const model::Config& config) : SentenceTask(options, config) {
    require_labels(config, task::Task::classify, 2);
  }

  void answer(const Reading& reading, io::Added& added) const override {
    add_likeliest(reading, config_.labels, added);
  }
  std::optional<double> uncertainty(const Reading& reading) const override {
    return heads::entropy(numbers(reading));
  }
};

// All labels whose own probability reaches the threshold.
class Multilabel final : public SentenceTask {
 public:
  Multilabel(const TaskOptions& options, const model::Config& config)
      : SentenceTask(options, config), threshold_(options.threshold) {
    require_labels(config, task::Task::multilabel, 1);
  }

  std::vector<float> numbers(const Reading& reading) const override {
    std::vector<float> scores = mean_logits(reading.windows);
    for (float& score : scores) score = heads::sigmoid(score);
    return scores;
  }

  void answer(const Reading& reading, io::Added& added) const override {
    const auto scores = numbers(reading);
    std::vector<std::string> chosen;
    for (size_t k = 0; k < scores.size(); ++k)
      if (heads::as_written(scores[k]) >= threshold_) chosen.push_back(config_.labels[k]);
    json::append_strings(added.field("prediction"), chosen);
    heads::append_scores(added.field("scores"), config_.labels, scores, precision_);
  }

  // The mean over the labels, each of which applies or not.
  std::optional<double> uncertainty(const Reading& reading) const override {
    const auto scores = numbers(reading);
    double sum = 0;
    for (const float score : scores) sum += heads::entropy(std::array{score, 1 - score});
    return sum / static_cast<double>(scores.size());
  }

 private:
  double threshold_;
};

// A single number.
class NumberTask : public SentenceTask {
 public:
  NumberTask(const TaskOptions& options, const model::Config& config) : SentenceTask(options, config) {
    require_one_label(config, options.task);
  }

  void answer(const Reading& reading, io::Added& added) const override {
    added.number("prediction", numbers(reading).front(), precision_);
  }
};

// The logit of a model with one label.
class Regress final : public NumberTask {
 public:
  using NumberTask::NumberTask;

  std::vector<float> numbers(const Reading& reading) const override { return mean_logits(reading.windows); }
};

// The logit of each choice, whose windows are adjacent.
std::vector<float> logits_of_choices(std::span<const Window> windows) {
  std::vector<float> logits;
  while (!windows.empty()) {
    const int32_t choice = windows.front().choice;
    const auto end = std::ranges::find_if(windows, [&](const Window& w) { return w.choice != choice; });
    const size_t count = end - windows.begin();
    logits.push_back(mean_logits(windows.first(count)).front());
    windows = windows.subspan(count);
  }
  return logits;
}

void append_numbers(std::string& out, std::span<const float> numbers, int precision) {
  json::append_array(out, numbers,
                     [&](std::string& text, float number) { json::append_number(text, number, precision); });
}

// Relevance of a passage to a query: the score of a cross-encoder, which reads both as a pair. A record may
// have several passages; its prediction is the best one.
class Rank final : public NumberTask {
 public:
  using NumberTask::NumberTask;

  std::unique_ptr<Reading> read(const io::Fields& fields,
                                const features::Featurizer& featurizer) const override {
    if (featurizer.takes_ids(fields) || !features::has_candidates(fields)) {
      auto pair = read_pair(*this, task::Task::rank, fields, featurizer);
      pair->choices = 1;
      return pair;
    }
    auto list = std::make_unique<List>();
    const auto text = fields.required_text(featurizer.options().text_field);
    for (const auto& candidate : features::candidates_of(featurizer, fields)) {
      const auto choice = static_cast<int32_t>(list->choices++);
      for (auto& features : featurizer.windows(text, candidate)) {
        list->truncated |= features.truncated;
        list->windows.push_back({.features = std::move(features), .choice = choice, .rows = {}});
      }
    }
    return list;
  }

  std::optional<size_t> row_width() const override { return 0; }

  // As in sentence-transformers: sigmoid for a single logit, unless the directory specifies otherwise.
  std::vector<float> numbers(const Reading& reading) const override {
    auto scores = logits_of_choices(reading.windows);
    if (config_.score_activation != model::ScoreActivation::none)
      for (float& score : scores) score = heads::sigmoid(score);
    return scores;
  }

  void answer(const Reading& reading, io::Added& added) const override {
    if (dynamic_cast<const List*>(&reading) == nullptr) return NumberTask::answer(reading, added);
    const auto scores = numbers(reading);
    added.integer("prediction", heads::best(scores));
    append_numbers(added.field("scores"), scores, precision_);
  }

 private:
  struct List : Reading {};
};

// Next sentence prediction: whether the second text of a pair follows the first (section 3.1, task #2).
class Next final : public SentenceTask {
 public:
  using SentenceTask::SentenceTask;

  std::unique_ptr<Reading> read(const io::Fields& fields,
                                const features::Featurizer& featurizer) const override {
    return read_pair(*this, task::Task::next, fields, featurizer);
  }

  std::optional<size_t> row_width() const override { return 2; }

  void answer(const Reading& reading, io::Added& added) const override {
    static const std::array<std::string, 2> kLabels = {"is_next", "not_next"};  // by the head's id
    add_likeliest(reading, kLabels, added);
  }
};

// Multiple choice (section 4.4): the head gives one logit for each sequence [CLS] text [SEP] question choice
// [SEP], and the softmax is over the choices.
class Choose final : public SentenceTask {
 public:
  using SentenceTask::SentenceTask;

  std::unique_ptr<Reading> read(const io::Fields& fields,
                                const features::Featurizer& featurizer) const override {
    auto reading = std::make_unique<Reading>();
    reading->of_ids = featurizer.takes_ids(fields);
    for (auto& [features, choice] : features::choose_sequences(featurizer, fields)) {
      reading->truncated |= features.truncated;
      reading->choices = choice + 1;
      reading->windows.push_back({.features = std::move(features), .choice = choice, .rows = {}});
    }
    return reading;
  }

  std::optional<size_t> row_width() const override { return 0; }
  std::vector<float> numbers(const Reading& reading) const override {
    return heads::softmax(logits_of_choices(reading.windows));
  }
  std::optional<double> uncertainty(const Reading& reading) const override {
    return heads::entropy(numbers(reading));
  }

  void answer(const Reading& reading, io::Added& added) const override {
    const auto logits = logits_of_choices(reading.windows);
    added.integer("prediction", heads::best(logits));
    append_numbers(added.field("scores"), heads::softmax(logits), precision_);
  }
};

}  // namespace

std::unique_ptr<Predictor> make_sentence(const TaskOptions& options, const model::Config& config,
                                         const text::Tokenizer&) {
  switch (options.task) {
    case task::Task::classify:
      return std::make_unique<Classify>(options, config);
    case task::Task::multilabel:
      return std::make_unique<Multilabel>(options, config);
    case task::Task::regress:
      return std::make_unique<Regress>(options, config);
    case task::Task::rank:
      return std::make_unique<Rank>(options, config);
    case task::Task::next:
      return std::make_unique<Next>(options, config);
    default:
      return std::make_unique<Choose>(options, config);
  }
}

}  // namespace bert::predict
