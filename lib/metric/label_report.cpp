#include "metric/label_report.h"

#include <algorithm>
#include <map>

#include "base/error.h"
#include "json/json.h"

namespace bert::metric {
namespace {

struct LabelRow {
  std::string label;
  std::optional<double> precision, recall;
  double f1 = 0;
  int64_t support = 0;
};

CountTable table_of(const Evaluation& evaluation, task::Task task) {
  if (task == task::Task::multilabel) return evaluation.label_sets.table();
  if (task != task::Task::tag || evaluation.plain_tags) return evaluation.labels.table();
  const auto& types = evaluation.entities.types();
  return {types.begin(), types.end()};
}

LabelRow row_of(std::string label, const Counts& counts) {
  return {std::move(label), counts.precision(), counts.recall(), counts.f1(), counts.gold};
}

// The mean over the labels, each with `weight`.
template <class Weight>
LabelRow label_mean(std::string label, const CountTable& table, const Weight& weight) {
  LabelRow row = {std::move(label), 0.0, 0.0};
  double weights = 0;
  for (const auto& [name, counts] : table) {
    const double w = weight(counts);
    *row.precision += w * counts.precision();
    *row.recall += w * counts.recall();
    row.f1 += w * counts.f1();
    weights += w;
    row.support += counts.gold;
  }
  for (double* value : {&*row.precision, &*row.recall, &row.f1}) *value = weights == 0 ? 0 : *value / weights;
  return row;
}

LabelRow samples_mean(const Multilabel& sets, int64_t support) {
  const auto& sums = sets.sums();
  const double count = static_cast<double>(std::max<int64_t>(sets.count(), 1));
  return {"samples avg", sums.precision / count, sums.recall / count, sums.f1 / count, support};
}

// Where each example has one label, precision, recall and F1 over all labels are the accuracy.
std::vector<LabelRow> averages_of(const Evaluation& evaluation, task::Task task, const CountTable& table) {
  Counts all;
  for (const auto& [label, counts] : table) all += counts;
  std::vector<LabelRow> rows;
  const bool is_accuracy =
      task != task::Task::multilabel && (task != task::Task::tag || evaluation.plain_tags);
  rows.push_back(is_accuracy ? LabelRow{.label = "accuracy", .f1 = all.recall(), .support = all.gold}
                             : row_of("micro avg", all));
  rows.push_back(label_mean("macro avg", table, [](const Counts&) { return 1.0; }));
  rows.push_back(label_mean("weighted avg", table, [](const Counts& counts) { return double(counts.gold); }));
  if (task == task::Task::multilabel) rows.push_back(samples_mean(evaluation.label_sets, all.gold));
  return rows;
}

// Names some of the labels.
std::string some_of(const std::vector<std::string>& labels) {
  constexpr size_t kNamed = 5;
  std::vector<std::string> named;
  for (size_t i = 0; i < std::min(labels.size(), kNamed); ++i) named.push_back(json::in_quotes(labels[i]));
  if (labels.size() > kNamed) named.push_back(std::to_string(labels.size() - kNamed) + " more");
  return listed(named, "and");
}

}  // namespace

std::vector<Report> label_report(const Evaluation& evaluation, task::Task task, const Report& empty) {
  const auto table = table_of(evaluation, task);
  std::vector<LabelRow> rows;
  for (const auto& [label, counts] : table) rows.push_back(row_of(label, counts));
  for (auto& row : averages_of(evaluation, task, table)) rows.push_back(std::move(row));
  std::vector<Report> reports;
  for (const LabelRow& row : rows) {
    Report& report = reports.emplace_back(empty);
    report.text("label", row.label);
    if (row.precision) report.metric("precision", *row.precision);
    if (row.recall) report.metric("recall", *row.recall);
    report.metric("f1", row.f1);
    report.count("support", row.support);
  }
  return reports;
}

std::vector<std::string> undefined_notes(const Evaluation& evaluation, task::Task task) {
  std::vector<std::string> never_gold, never_predicted, notes;
  for (const auto& [label, counts] : table_of(evaluation, task)) {
    if (counts.gold == 0) never_gold.push_back(label);
    if (counts.predicted == 0) never_predicted.push_back(label);
  }
  if (!never_predicted.empty())
    notes.push_back("precision is written as 0 for labels that are never predicted: " +
                    some_of(never_predicted));
  if (!never_gold.empty())
    notes.push_back("recall is written as 0 for labels that are never gold labels: " + some_of(never_gold));
  const auto& sums = evaluation.label_sets.sums();
  if (const auto undefined = std::max(sums.without_gold, sums.without_predicted); undefined > 0)
    notes.push_back("samples avg: " + counted(undefined, "record", "records") +
                    " without gold or predicted labels, for which precision or recall is 0");
  return notes;
}

std::vector<Report> confusion_rows(const Classification& score, const Report& empty) {
  constexpr size_t kMostLabels = 1000;
  const auto labels = sorted_labels(score);
  if (labels.size() > kMostLabels)
    throw Error("the confusion matrix would have ", labels.size(), " rows and columns, expected at most ",
                kMostLabels);
  std::map<std::string_view, std::map<std::string_view, int64_t>> counts;
  for (const auto& [pair, times] : score.pairs())
    counts[score.label(pair.first)][score.label(pair.second)] = times;
  std::string corner = "gold";
  while (std::ranges::find(labels, corner) != labels.end()) corner.insert(0, 1, '_');
  std::vector<Report> rows;
  for (const auto& gold : labels) {
    Report& row = rows.emplace_back(empty);
    row.text(corner, gold);
    for (const auto& predicted : labels) row.count(predicted, counts[gold][predicted]);
  }
  return rows;
}

}  // namespace bert::metric
