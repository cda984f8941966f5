// How well labels were predicted, by sklearn's definitions. Labels are compared by their text. Memory grows
// with the number of different labels alone.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "metric/string_table.h"
#include "metric/value.h"

namespace bert::metric {

// For each label how often it is the truth, how often it was predicted, and how often both at once.
class LabelCounts {
 public:
  struct Counts {
    int64_t gold = 0, predicted = 0, both = 0;
  };

  Counts& of(std::string_view label);  // valid until the next call
  const StringTable& labels() const { return labels_; }
  std::span<const Counts> counts() const { return counts_; }

  // F1 = 2 both / (gold + predicted); 0 for a label that never came.
  double f1(std::string_view label) const;
  double micro_f1() const;
  double macro_f1() const;  // mean over the labels that came, as truth or predicted

 private:
  StringTable labels_;
  std::vector<Counts> counts_;
};

// One label an example.
class Classification {
 public:
  void add(std::string_view gold, std::string_view predicted);

  int64_t count() const { return count_; }
  double accuracy() const { return share(hits_, count_); }
  double f1(std::string_view positive) const { return counts_.f1(positive); }
  double macro_f1() const { return counts_.macro_f1(); }
  // Matthews' correlation, for any number of labels (Gorodkin 2004); 0 when it is not defined.
  double matthews() const;

  std::vector<std::string> labels() const;  // that came, as truth or predicted, in this order
  bool confused() const;                    // no true label was ever predicted, not even wrongly

 private:
  LabelCounts counts_;
  int64_t count_ = 0, hits_ = 0;
};

// The label of two or more that has the highest id where ids are not known: the greatest number when all are
// integers, else the last by bytes. Empty when there is none.
std::string highest_label(std::span<const std::string> labels);

// Any number of labels an example; a label twice counts once.
class Multilabel {
 public:
  void add(std::span<const std::string_view> gold, std::span<const std::string_view> predicted);

  int64_t count() const { return count_; }
  double micro_f1() const { return counts_.micro_f1(); }
  double macro_f1() const { return counts_.macro_f1(); }
  double accuracy() const { return share(hits_, count_); }  // of whole sets

 private:
  LabelCounts counts_;
  int64_t count_ = 0, hits_ = 0;
};

}  // namespace bert::metric
