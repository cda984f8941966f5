// All metrics in one table: those of bert-score, and those that bert-train logs for a step and for the dev
// set.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "metric/classification.h"
#include "metric/correlation.h"
#include "metric/entities.h"
#include "metric/label_scores.h"
#include "metric/ranking.h"
#include "metric/report.h"
#include "metric/squad.h"
#include "task/task.h"

namespace bert::metric {

// Predictions compared with gold labels: what metrics are computed from. A task fills its part.
struct Evaluation {
  double loss = 0;  // of training, or of the dev set
  // Share of right predictions in a training step, and for the task replaced in the dev set and by
  // bert-score.
  std::optional<double> step_accuracy = {};
  std::optional<double> mlm_loss = {}, mlm_accuracy = {}, nsp_loss = {}, nsp_accuracy = {};

  Counts replaced = {};  // tokens

  Classification labels;     // next, classify, choose, and tags without prefixes
  std::string positive;      // the label whose precision, recall and F1 are computed; empty: none
  Calibration calibration;   // of the predicted labels that have a probability
  ProbabilityLosses losses;  // of the gold labels of next, classify and choose
  Multilabel label_sets;
  LabelScores scores;             // of classify and multilabel, if they are kept
  std::vector<LabelAreas> areas;  // of the positive label or of all, if all records have scores
  Correlation numbers;
  EntityScore entities;
  bool plain_tags = false;  // tags without prefixes, which form no entities
  SquadScore answers{};
  TopHits places;     // of the gold tokens among the candidates, or of the positives among all texts
  int64_t top_k = 1;  // candidates of fill, or documents of rank, that count
  // For rank: the candidates of each query in a ranking of their own (at_k: at top_k), and all candidates in
  // one.
  std::optional<RankingMeans> ranking = {}, candidates = {};
  std::vector<RankingMeans> queries = {};  // those that `ranking` is the mean of, for bert-score

  bool is_calibrated() const { return calibration.count() > 0 && calibration.count() == labels.count(); }
};

enum class Better { lower, higher, neither };  // neither: no measure of quality, such as a threshold

enum class Unit { fraction, accuracy, percent, correlation, loss, logit };

// What a metric needs besides predictions and gold labels. probability: of the predicted label; probabilities
// and scores: of all labels.
enum class Needs {
  nothing,
  probability,
  probabilities,
  scores,
  positive_label,
  entities,
  next_sentence,
  generator
};

// Who reports a metric: bert-train for a step, or for the dev set; bert-score.
enum Use : uint8_t { kStep = 1, kDev = 2, kScore = 4 };

struct Metric {
  std::string_view name;  // bert-score writes the number for a part "k"
  Better better;
  Unit unit;
  std::vector<task::Task> tasks;
  int uses;
  // nullopt: cannot be computed from these records; NaN: undefined, such as the correlation of constants.
  std::function<std::optional<double>(const Evaluation&)> value;
  Needs needs = Needs::nothing;
  // In place of a value: appends an object with the values of each label.
  std::function<void(const Evaluation&, std::string_view name, Report&)> table = nullptr;
};

inline constexpr std::string_view kLoss = "loss";  // the training objective: the first metric of each step

// In the order of output.
std::vector<const Metric*> metrics_of(task::Task task, Use use);
std::vector<std::string> metric_names(task::Task task, Use use);
// A metric in any use; all rows of a name and a task agree in direction and unit. nullptr if there is none.
const Metric* find_metric(std::string_view name, task::Task task);

struct Value {
  std::string_view name;
  double value = 0;
};
using Values = std::vector<Value>;

// The metrics of a training step.
Values step_values(const Evaluation& evaluation, task::Task task);
// The metrics of a dev set, without those that are undefined there.
Values dev_values(const Evaluation& evaluation, task::Task task);
// Those of bert-score that have a value.
Values score_values(const Evaluation& evaluation, task::Task task);

// The name that bert-score writes: "top_k_accuracy" becomes "top_5_accuracy".
std::string written_name(const Evaluation& evaluation, std::string_view name);

// Where the value of a metric lies; NaN: unknown.
struct Interval {
  std::string_view name;
  double low = 0, high = 0;
};
// The metrics of bert-score. Those with an interval are followed by its ends, accuracy_low and accuracy_high.
void append_metrics(Report& report, const Evaluation& evaluation, task::Task task,
                    std::span<const Interval> intervals = {});

}  // namespace bert::metric
