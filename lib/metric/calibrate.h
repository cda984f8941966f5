// Scaling of scores after training, so that probabilities match how often predictions are right.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "metric/label_scores.h"
#include "metric/metrics.h"

namespace bert::metric {

// A logit z becomes scale · z + offset.
struct Scaling {
  std::optional<std::string> label;  // nullopt: all labels
  double scale = 1, offset = 0;
  double loss = 0, scaled_loss = 0;  // negative log-likelihood, mean over the examples
};

// For one label out of several: the temperature 1 / scale of the softmax with the lowest loss (Guo et al.
// 2017, "On Calibration of Modern Neural Networks", section 4.2). Throws Error if there is no lowest one,
// because all predictions are right or the scores say nothing.
Scaling fit_temperature(const LabelScores& scores);

// For a label that may be true or not: the scale and offset of the sigmoid with the lowest loss for the
// targets (n+ + 1) / (n+ + 2) and 1 / (n- + 2) (Platt 1999, "Probabilistic outputs for support vector
// machines", section 2.2). The losses are those for the targets 1 and 0.
Scaling fit_sigmoid(const std::string& label, std::span<const Curve::Example> examples);

// The scaling of all labels, or of each, from the scores of all records. Throws Error if they are no
// probabilities.
std::vector<Scaling> calibration(const Evaluation& evaluation, task::Task task);
// `empty`: a report that rows start from.
Report scaling_row(const Scaling& scaling, const Report& empty);

}  // namespace bert::metric
