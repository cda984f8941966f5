// The scores that records have for labels, and what is computed from them.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/string_table.h"
#include "io/record.h"
#include "metric/curves.h"

namespace bert::metric {

// The scores of one record, in the order of `labels`, or if there are none, of ScoredLabels; NaN: no number.
struct RecordScores {
  std::vector<std::string> labels;
  std::vector<double> values;
};

// The labels that have scores, in the order of the first record with scores.
class ScoredLabels {
 public:
  // Reads the field `scores`, an object by label, or columns such as `scores.good`. Any thread may call it,
  // also while settle() is running.
  RecordScores read(const io::Fields& fields) const;
  // Brings the scores of a record into the order of the labels, which are those of the first record.
  void settle(RecordScores& scores);
  void settle(const std::vector<std::string>& labels);  // before read()

  bool are_known() const { return known_; }
  const std::vector<std::string>& names() const { return names_; }
  std::optional<uint32_t> find(std::string_view label) const { return table_.find(label); }
  // How many labels are better than `label`; as in scikit-learn, of equal scores those of later labels are
  // better.
  int64_t place_of(size_t label, std::span<const double> scores) const;

 private:
  std::vector<std::string> names_;
  StringTable table_;
  std::vector<size_t> sorted_places_;  // in the order of sort_labels()
  std::atomic<bool> known_ = false;    // set in input order
};

// The scores of all labels of each example, and its gold labels: 8 bytes and a bit for each score.
class LabelScores {
 public:
  void add(std::span<const double> scores, std::span<const uint32_t> gold);
  int64_t count() const { return count_; }
  std::vector<Curve::Example> examples(size_t label) const;  // whose positives have this gold label
  std::span<const double> of(int64_t example) const;         // its scores
  size_t gold_of(int64_t example) const;                     // its first gold label

 private:
  size_t labels() const { return count_ == 0 ? 1 : scores_.size() / count_; }
  std::vector<double> scores_;  // [count, labels]
  std::vector<bool> gold_;
  int64_t count_ = 0;
};

// Whether there are numbers for all.
bool are_scores(std::span<const double> scores);
// "1 of 3 records have no scores of all labels ..."; `what`: scores or probabilities.
std::string scores_missing(int64_t missing, int64_t records, std::string_view what = "scores");

// The areas under the curves of a label against all others.
struct LabelAreas {
  std::string label;
  size_t column = 0;  // in LabelScores
  double roc_auc = 0, average_precision = 0;
};
// The areas of these labels; those without scores are left out.
std::vector<LabelAreas> areas_of(const LabelScores& scores, const std::vector<std::string>& labels,
                                 const ScoredLabels& scored);

// How far predicted probabilities are from gold labels, as scikit-learn's log_loss and brier_score_loss.
class ProbabilityLosses {
 public:
  // False if they are no probabilities.
  bool add(std::span<const double> probabilities, size_t gold);
  int64_t count() const { return count_; }
  double log_loss() const { return log_loss_ / static_cast<double>(count_); }
  double brier() const { return brier_ / static_cast<double>(count_); }

 private:
  int64_t count_ = 0;
  double log_loss_ = 0, brier_ = 0;  // sums
};

bool is_probability(double score);
// -log(probability), at most 36 for a probability of 0.
double log_loss_of(double probability);

}  // namespace bert::metric
