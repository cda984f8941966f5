// Curves of labels, and thresholds chosen on them, as rows.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "metric/metrics.h"

namespace bert::metric {

enum class CurveKind { roc, precision_recall };

// Adds the points of the curve of each label of Evaluation::areas, as scikit-learn's roc_curve without
// drop_intermediate and precision_recall_curve have them. `empty`: a report that rows start from.
void add_curves(const Evaluation& evaluation, CurveKind kind, const Report& empty,
                const std::function<void(const Report&)>& add);

// A row for each of these labels: the threshold that reaches the goal, and what it gives.
std::vector<Report> threshold_rows(const Evaluation& evaluation, const ThresholdGoal& goal,
                                   const Report& empty);
// The labels for which no threshold does.
std::vector<std::string> without_threshold(const Evaluation& evaluation, const ThresholdGoal& goal);

}  // namespace bert::metric
