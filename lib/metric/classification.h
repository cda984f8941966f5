// Classification metrics as defined by sklearn. Labels are compared as text. Memory grows only with the
// number of distinct labels and of their pairs.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/string_table.h"
#include "metric/counts.h"

namespace bert::metric {

// For each label: how often it is the gold label, how often it is predicted, and how often both.
class LabelCounts {
 public:
  Counts& of(std::string_view label);  // valid until the next call
  const StringTable& labels() const { return labels_; }
  std::span<const Counts> counts() const { return counts_; }

  Counts at(std::string_view label) const;  // zeros for a label that does not occur
  std::vector<std::string> names() const;   // gold or predicted, in order of occurrence
  CountTable table() const;                 // sorted by sort_labels()
  Counts all() const;                       // summed over the labels
  double macro_f1() const;                  // mean over all labels that occur, gold or predicted
  bool disjoint() const;  // some labels occur as gold and some as predicted ones, but none as both

 private:
  StringTable labels_;
  std::vector<Counts> counts_;
};

// One label per example.
class Classification {
 public:
  void add(std::string_view gold, std::string_view predicted, int64_t times = 1);

  int64_t count() const { return count_; }
  double accuracy() const { return share(hits_, count_); }
  Counts counts(std::string_view label) const { return counts_.at(label); }
  double f1(std::string_view positive) const { return counts(positive).f1(); }
  CountTable table() const { return counts_.table(); }
  double macro_f1() const { return counts_.macro_f1(); }
  // Matthews correlation coefficient for any number of labels (Gorodkin 2004); 0 if undefined.
  double matthews() const;

  std::vector<std::string> labels() const { return counts_.names(); }  // in order of occurrence
  // The confusion matrix without zeros: how often each pair (gold, predicted) occurs; numbers as of labels().
  using Pairs = std::map<std::pair<uint32_t, uint32_t>, int64_t>;
  const Pairs& pairs() const { return pairs_; }
  std::string_view label(uint32_t number) const { return counts_.labels().at(number); }
  int64_t gold_labels() const;  // how many different ones there are
  bool disjoint() const { return counts_.disjoint(); }

 private:
  LabelCounts counts_;
  Pairs pairs_;
  int64_t count_ = 0, hits_ = 0;
};

// In the order of their presumable ids: by number if all labels are integers, else by bytes.
void sort_labels(std::vector<std::string>& labels);
std::vector<std::string> sorted_labels(const Classification& score);

// Messages about labels that are probably spelled wrong: those that differ only in case or spaces, and those
// with a space at an end; the first ones, and how many more there are.
std::vector<std::string> spelling_notes(std::span<const std::string> labels);

// A message about a label that is probably a list of several in another form than commas or a JSON array; ""
// if there is none.
std::string list_note(std::span<const std::string> labels);

// A message about a class that is a list of Python: "['a']"; "" if there is none.
std::string brackets_note(std::span<const std::string> labels);

// A message about labels such as "nan", with which other programs write that there is none; "" if there are
// none.
std::string missing_note(std::span<const std::string> labels);

// A message about labels of two kinds, as when two files name the same classes differently: several are
// numbers and several names, or two are the same number; "" if there are none.
std::string kinds_note(std::span<const std::string> labels);

// The last label in this order; empty if there are no labels.
std::string highest_label(std::vector<std::string> labels);

// Any number of labels per example; repeated labels count once.
class Multilabel {
 public:
  void add(std::span<const std::string_view> gold, std::span<const std::string_view> predicted);

  int64_t count() const { return count_; }
  double micro_f1() const { return counts_.all().f1(); }
  double macro_f1() const { return counts_.macro_f1(); }
  double accuracy() const { return share(hits_, count_); }  // exact match of label sets
  // The sums over examples of the precision, recall and F1 of their label sets; 0 if undefined.
  struct Sums {
    double precision = 0, recall = 0, f1 = 0;
    int64_t without_gold = 0, without_predicted = 0;  // examples
  };
  const Sums& sums() const { return sums_; }
  CountTable table() const { return counts_.table(); }
  std::vector<std::string> labels() const { return counts_.names(); }  // as in Classification
  bool disjoint() const { return counts_.disjoint(); }

 private:
  LabelCounts counts_;
  Sums sums_;
  int64_t count_ = 0, hits_ = 0;
};

// How well predicted probabilities match the share of correct predictions (Guo et al. 2017, "On Calibration
// of Modern Neural Networks", section 2).
class Calibration {
 public:
  // Bin b holds the confidences in (b/10, (b+1)/10]; the first one also 0.
  static constexpr int kBins = 10;

  struct Bin {
    int64_t count = 0, correct = 0;
    double confidence = 0;  // sum
  };

  // `confidence` is the probability of the predicted label, in [0,1].
  void add(double confidence, bool correct);

  int64_t count() const { return count_; }
  const std::array<Bin, kBins>& bins() const { return bins_; }
  // Expected calibration error: |accuracy - mean confidence| of the bins, weighted by their counts. NaN
  // without predictions.
  double error() const;

 private:
  std::array<Bin, kBins> bins_;
  int64_t count_ = 0;
};

}  // namespace bert::metric
