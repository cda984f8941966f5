#include "metric/curve_rows.h"

#include <limits>

namespace bert::metric {
namespace {

double rate(int64_t part, int64_t whole) {
  return whole == 0 ? std::numeric_limits<double>::quiet_NaN() : share(part, whole);
}

}  // namespace

void add_curves(const Evaluation& evaluation, CurveKind kind, const Report& empty,
                const std::function<void(const Report&)>& add) {
  for (const auto& areas : evaluation.areas) {
    const Curve curve(evaluation.scores.examples(areas.column));
    const auto begin = [&](std::optional<double> threshold) {
      Report row = empty;
      row.text("label", areas.label);
      row.value("threshold", threshold);
      return row;
    };
    const auto add_roc = [&](std::optional<double> threshold, const Counts& counts) {
      Report row = begin(threshold);
      row.metric("fpr", rate(counts.predicted - counts.both, curve.negatives()));
      row.metric("tpr", rate(counts.both, curve.positives()));
      add(row);
    };
    const auto add_precision = [&](std::optional<double> threshold, double precision, double recall) {
      Report row = begin(threshold);
      row.metric("precision", precision);
      row.metric("recall", recall);
      add(row);
    };
    if (kind == CurveKind::roc) {
      add_roc({}, {});
      for (const auto& [threshold, counts] : curve.steps()) add_roc(threshold, counts);
      continue;
    }
    for (auto step = curve.steps().rbegin(); step != curve.steps().rend(); ++step)
      add_precision(step->threshold, step->counts.precision(),
                    curve.positives() == 0 ? 1 : step->counts.recall());
    add_precision({}, 1, 0);
  }
}

std::vector<Report> threshold_rows(const Evaluation& evaluation, const ThresholdGoal& goal,
                                   const Report& empty) {
  std::vector<Report> rows;
  for (const auto& areas : evaluation.areas) {
    const Curve curve(evaluation.scores.examples(areas.column));
    const auto* best = choose_threshold(curve, goal);
    const auto of = [&](double (Counts::*value)() const) {
      return best == nullptr ? std::nullopt : std::optional((best->counts.*value)());
    };
    Report& row = rows.emplace_back(empty);
    row.text("label", areas.label);
    row.value("threshold", best == nullptr ? std::nullopt : std::optional(best->threshold));
    row.value("precision", of(&Counts::precision));
    row.value("recall", of(&Counts::recall));
    row.value("f1", of(&Counts::f1));
  }
  return rows;
}

std::vector<std::string> without_threshold(const Evaluation& evaluation, const ThresholdGoal& goal) {
  std::vector<std::string> labels;
  for (const auto& areas : evaluation.areas)
    if (choose_threshold(Curve(evaluation.scores.examples(areas.column)), goal) == nullptr)
      labels.push_back(areas.label);
  return labels;
}

}  // namespace bert::metric
