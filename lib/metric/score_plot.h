// Plots of bert-score: scripts for gnuplot, see base/gnuplot.h.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "metric/classification.h"

namespace bert::metric {

// The confusion matrix of `score`, with the labels in the given order, and a reliability diagram if
// `calibration` has predictions. Of more than 100 labels, the rarest ones share a row and a column.
std::string confusion_script(const Classification& score, std::span<const std::string> labels,
                             const Calibration& calibration);

struct Scatter {
  std::span<const std::pair<double, double>> points;  // gold, predicted
  double pearson = 0, spearman = 0;                   // may be NaN
};

// Predictions over gold labels. At most 5000 points are drawn, at equal distances in the input.
std::string scatter_script(const Scatter& scatter);

}  // namespace bert::metric
