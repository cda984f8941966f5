// Plots of bert-score: scripts for gnuplot, see base/gnuplot.h.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "metric/curve_rows.h"

namespace bert::metric {

// The confusion matrix of `score`, with the labels in the given order, and a reliability diagram if
// `calibration` has predictions; `unit`: what was counted. Of more than 100 labels, the rarest ones share a
// row and a column.
std::string confusion_script(const Classification& score, std::span<const std::string> labels,
                             const Calibration& calibration, std::string_view unit = "record");

// The curves of the labels of Evaluation::areas, at most 8, with the areas under them.
std::string curve_script(const Evaluation& evaluation, CurveKind kind);

// Predictions over gold labels. At most 5000 points are drawn, at equal distances in the input.
std::string scatter_script(const Correlation& numbers);

}  // namespace bert::metric
