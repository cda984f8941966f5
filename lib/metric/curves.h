// Decisions by a threshold of a score, as scikit-learn has them: an example is predicted positive if its
// score is at least the threshold.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "metric/counts.h"

namespace bert::metric {

class Curve {
 public:
  struct Example {
    double score;
    bool positive;
  };
  struct Step {
    double threshold;
    Counts counts;
  };

  explicit Curve(std::vector<Example> examples);

  // One for each different score, the highest first.
  const std::vector<Step>& steps() const { return steps_; }
  int64_t positives() const { return positives_; }
  int64_t negatives() const { return negatives_; }

  double roc_auc() const;            // area under the ROC curve; NaN unless there are positives and negatives
  double average_precision() const;  // Σ precision · increase of recall; NaN without positives

 private:
  std::vector<Step> steps_;
  int64_t positives_ = 0, negatives_ = 0;
};

// What a threshold is chosen for: the highest F1, the highest recall among thresholds with this precision, or
// the highest precision among those with this recall.
struct ThresholdGoal {
  enum class Kind { f1, precision, recall } kind = Kind::f1;
  double value = 0;  // of precision or recall
};

// The best step: of equal ones the one whose other value is highest, then the lowest threshold. nullptr if
// none reaches the goal.
const Curve::Step* choose_threshold(const Curve& curve, const ThresholdGoal& goal);

}  // namespace bert::metric
