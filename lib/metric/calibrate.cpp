#include "metric/calibrate.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace bert::metric {
namespace {

// Scores are printed floats: smaller ones are 0, and those nearer to 1 are 1.
constexpr double kLeast = 1e-45, kNearestToOne = 1 - 0x1p-25;

double log_of(double probability) { return std::log(std::max(probability, kLeast)); }

double logit_of(double probability) {
  const double p = std::clamp(probability, kLeast, kNearestToOne);
  return std::log(p) - std::log1p(-p);
}

// log(1 + exp(x))
double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }

double sigmoid(double x) { return x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x)); }

// The mean loss of the softmax of scale · z, and its derivatives by the scale.
struct SoftmaxLoss {
  double value = 0, slope = 0, curvature = 0;
};

// The logarithms of the scores of an example, and its gold label.
struct Logits {
  std::span<const double> of;
  size_t gold;
};

SoftmaxLoss softmax_loss(std::span<const Logits> examples, double scale) {
  SoftmaxLoss loss;
  for (const auto& [z, gold] : examples) {
    const double greatest = std::ranges::max(z) * scale;
    double sum = 0, first = 0, second = 0;
    for (const double x : z) {
      const double weight = std::exp(scale * x - greatest);
      sum += weight;
      first += weight * x;
      second += weight * x * x;
    }
    const double mean = first / sum;
    loss.value += greatest + std::log(sum) - scale * z[gold];
    loss.slope += mean - z[gold];
    loss.curvature += second / sum - mean * mean;
  }
  const double n = std::ssize(examples);
  return {loss.value / n, loss.slope / n, loss.curvature / n};
}

// Whether a wrong label has a higher score than the gold one.
bool has_wrong(std::span<const Logits> examples) {
  return std::ranges::any_of(
      examples, [](const Logits& logits) { return std::ranges::max(logits.of) > logits.of[logits.gold]; });
}

constexpr int kSteps = 200;  // far more than are needed

// The mean loss of sigmoid(scale · z + offset) for these targets, and its derivatives.
struct SigmoidLoss {
  double value = 0, by_scale = 0, by_offset = 0, scale_scale = 0, scale_offset = 0, offset_offset = 0;
};

struct Targets {
  double positive = 1, negative = 0;
};

SigmoidLoss sigmoid_loss(std::span<const Curve::Example> examples, const Targets& targets, double scale,
                         double offset) {
  SigmoidLoss loss;
  for (const auto& [z, positive] : examples) {
    const double x = scale * z + offset, p = sigmoid(x);
    const double target = positive ? targets.positive : targets.negative;
    loss.value += softplus(x) - target * x;
    loss.by_scale += (p - target) * z;
    loss.by_offset += p - target;
    const double variance = p * (1 - p);
    loss.scale_scale += variance * z * z;
    loss.scale_offset += variance * z;
    loss.offset_offset += variance;
  }
  return loss;
}

}  // namespace

Scaling fit_temperature(const LabelScores& scores) {
  std::vector<double> logs;
  for (int64_t i = 0; i < scores.count(); ++i)
    for (const double p : scores.of(i)) logs.push_back(log_of(p));
  std::vector<Logits> examples;
  for (int64_t i = 0; i < scores.count(); ++i) {
    const size_t labels = scores.of(i).size();
    examples.push_back({std::span(logs).subspan(i * labels, labels), scores.gold_of(i)});
  }
  if (softmax_loss(examples, 0).slope >= 0)
    throw Error("no temperature: the scores of wrong labels are not lower than those of gold labels");
  if (!has_wrong(examples))
    throw Error(
        "no temperature: the gold label of each record has the highest score, so that any lower temperature "
        "would be better; use records with some wrong predictions");
  // The slope grows with the scale, so that it is 0 between these.
  double low = 0, high = 1, scale = 1;
  while (softmax_loss(examples, high).slope < 0) high *= 2;
  for (int step = 0; step < kSteps && low < high; ++step) {
    const auto loss = softmax_loss(examples, scale);
    (loss.slope < 0 ? low : high) = scale;
    const double newton = scale - loss.slope / loss.curvature;
    const double next = newton > low && newton < high ? newton : (low + high) / 2;
    if (std::abs(next - scale) <= 1e-15 * scale) break;
    scale = next;
  }
  return {.label = std::nullopt,
          .scale = scale,
          .offset = 0,
          .loss = softmax_loss(examples, 1).value,
          .scaled_loss = softmax_loss(examples, scale).value};
}

// Newton's method with steps that are halved until the loss is lower (Lin, Lin and Weng 2007).
Scaling fit_sigmoid(const std::string& label, std::span<const Curve::Example> examples) {
  std::vector<Curve::Example> logits;
  for (const auto& [score, positive] : examples) logits.push_back({logit_of(score), positive});
  const double positives = std::ranges::count_if(logits, &Curve::Example::positive);
  const double negatives = std::ssize(logits) - positives;
  const Targets targets = {(positives + 1) / (positives + 2), 1 / (negatives + 2)};
  double scale = 0, offset = std::log((positives + 1) / (negatives + 1));
  constexpr double kRidge = 1e-12;  // so that there is a step if all scores are equal
  for (int step = 0; step < kSteps; ++step) {
    const auto now = sigmoid_loss(logits, targets, scale, offset);
    const double a = now.scale_scale + kRidge, b = now.scale_offset, c = now.offset_offset + kRidge;
    const double determinant = a * c - b * b;
    const double by_scale = (c * now.by_scale - b * now.by_offset) / determinant;
    const double by_offset = (a * now.by_offset - b * now.by_scale) / determinant;
    double share = 1;
    const auto value_at = [&](double part) {
      return sigmoid_loss(logits, targets, scale - part * by_scale, offset - part * by_offset).value;
    };
    const double bound = now.value * (1 + 1e-12);  // near the end, values differ by rounding errors
    while (share > 1e-10 && value_at(share) > bound) share /= 2;
    scale -= share * by_scale;
    offset -= share * by_offset;
    if (std::abs(by_scale) <= 1e-14 * std::abs(scale) && std::abs(by_offset) <= 1e-14 * std::abs(offset))
      break;
  }
  const double n = std::ssize(logits);
  return {.label = label,
          .scale = scale,
          .offset = offset,
          .loss = sigmoid_loss(logits, {}, 1, 0).value / n,
          .scaled_loss = sigmoid_loss(logits, {}, scale, offset).value / n};
}

std::vector<Scaling> calibration(const Evaluation& evaluation, task::Task task) {
  for (int64_t i = 0; i < evaluation.scores.count(); ++i)
    if (!std::ranges::all_of(evaluation.scores.of(i), is_probability))
      throw Error("there is no calibration: the scores are no probabilities from 0 to 1");
  if (task != task::Task::multilabel) return {fit_temperature(evaluation.scores)};
  std::vector<Scaling> scalings;
  for (const auto& areas : evaluation.areas)
    scalings.push_back(fit_sigmoid(areas.label, evaluation.scores.examples(areas.column)));
  return scalings;
}

Report scaling_row(const Scaling& scaling, const Report& empty) {
  Report row = empty;
  row.text("label", scaling.label);
  row.value("scale", scaling.scale);
  row.value("offset", scaling.offset);
  row.value("log_loss", scaling.loss);
  row.value("calibrated_log_loss", scaling.scaled_loss);
  return row;
}

}  // namespace bert::metric
