// The evaluation of one task: reads gold label and prediction from the fields of a record, compares them, and
// accumulates the results in input order.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/record.h"
#include "json/json.h"
#include "metric/benchmark.h"
#include "metric/entities.h"
#include "metric/gold.h"
#include "metric/metrics.h"

namespace bert::metric {

// How the scores of all labels are used: not; record by record; kept, for results that need those of all
// records.
enum class ScoresUse { ignored, read, kept };

struct ScoreOptions {
  task::Task task = task::Task::classify;
  std::vector<std::string> metrics;        // names as in the output; empty: all
  bool benchmark = false;                  // the metrics are those of a benchmark, as far as there are any
  std::string text_field{io::kTextField};  // for rank: the field with the query
  std::optional<std::string> label_field;  // default: the task's own field
  std::optional<std::string> positive;     // positive label for F1
  std::vector<std::string_view> usual_positive;  // if not given: the first of these labels that occurs
  std::optional<int64_t> top_k;                  // for fill, rank and classify
  ScoresUse scores = ScoresUse::ignored;         // of all labels
  std::optional<int64_t> mask_id;             // for fill: score only positions where the input has this token
  bool pairs = false;                         // for tag: count pairs of gold and predicted tags
  std::optional<Scheme> scheme;               // for tag; not given: entities of any scheme, or plain tags
  std::optional<size_t> gold_column;          // for tag: index in CoNLL; none: before the last
  std::optional<double> no_answer_threshold;  // for answer
  SquadScore::Version version = SquadScore::Version::automatic;

  // What the scorer of all records has learned from them, for scorers of some of them.
  struct Settled {
    std::string positive;
    std::vector<std::string> labels;  // that have scores
    bool plain_tags = false;
  };
  std::optional<Settled> settled = {};

  std::string gold_field() const { return label_field.value_or(std::string(task::entry(task).gold_field)); }
};

// What Scorer::remarks() says of labels.
constexpr std::string_view kNeverPredicted =
    "no gold label is ever predicted: do gold labels and predictions use the same names?";

class Scorer {
 public:
  explicit Scorer(const ScoreOptions& options)
      : options_(options), task_(options.task), field_(options.gold_field()) {}
  virtual ~Scorer() = default;

  const std::string& gold_field() const { return field_; }
  // The gold label of a record, encoded for compare().
  virtual std::string gold(const io::Fields& fields) const = 0;

  // Reads the prediction and compares it with `gold`. Any thread may call it.
  virtual std::unique_ptr<io::Work> compare(std::string_view gold, const io::Fields& fields) const = 0;

  // For a CoNLL sentence: one word per line, with the predicted tag in the last column, and the gold tag in
  // the one before it or in `gold_column`. nullptr if no line is a word.
  // `gold` gets the gold tags as gold() has them, unless it is nullptr.
  virtual std::unique_ptr<io::Work> compare_conll(std::string_view sentence, std::string* gold) const;
  // For a prediction from an object {id: answer}.
  virtual std::unique_ptr<io::Work> compare_text(std::string_view gold, std::string_view predicted) const;

  // Accumulates a result of compare(). `place` is the index of the gold label; each occurs once, in the order
  // of predictions. Completes the result, so that other scorers can add it, too, any number of them at once.
  virtual void add(size_t place, io::Work& compared) = 0;
  // The result for a gold label without a prediction; nullptr if the task does not allow this.
  virtual std::unique_ptr<io::Work> missing(std::string_view /*gold*/) const { return nullptr; }

  // Whether the prediction of a record is right, if it is right or wrong as a whole.
  virtual std::optional<bool> is_right(const io::Work& /*compared*/) const { return std::nullopt; }

  struct Miss {
    double loss;
    std::string gold;  // JSON
  };
  // The loss of a wrong prediction that was added, for tasks with Entry::has_loss. Throws Error if it has
  // none.
  virtual std::optional<Miss> miss(const io::Work& /*compared*/) const { return std::nullopt; }

  // Reads null scores by id from an object with every gold id. They take precedence over those in records.
  virtual void read_null_scores(const json::File& file, const GoldTable& gold);

  // Evaluates all that was added.
  const Evaluation& evaluate() {
    settle();
    return evaluation_;
  }
  // The options for a scorer of some of the records; after evaluate().
  virtual ScoreOptions settled() const { return options_; }
  // How much was added, such as the number of records.
  virtual void append_counts(Report& report) const = 0;

  // Script for gnuplot, for tasks with Entry::plotted.
  virtual std::string plot() const { return {}; }

  // What the metric needs, as the end of a message that it cannot be computed: ": name a label"; empty:
  // unknown.
  virtual std::string advice(std::string_view /*metric*/) const { return {}; }

  // Warnings about the overall result, a sentence each.
  virtual std::vector<std::string> remarks() const { return {}; }

 protected:
  virtual void settle() {}  // completes evaluation_

  const ScoreOptions options_;
  const task::Task task_;
  const std::string field_;  // of the gold label
  Evaluation evaluation_;
};

std::unique_ptr<Scorer> make_scorer(const ScoreOptions& options);

}  // namespace bert::metric
