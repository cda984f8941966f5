// The labels of a run: ids of names, and how often records have them.
#pragma once

#include <atomic>
#include <cmath>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace bert::examples {

// Classes by id. Records name them by strings or integers; 1 and "1" are the same label.
class Labels {
 public:
  explicit Labels(std::vector<std::string> names);
  virtual ~Labels() = default;
  Labels(const Labels&) = default;
  Labels& operator=(const Labels&) = default;

  const std::vector<std::string>& names() const { return names_; }
  int32_t size() const { return names_.size(); }
  std::optional<int32_t> find(const std::string& name) const;
  virtual int32_t id(const std::string& name) const;  // throws Error `label "x" is not one of …`

 private:
  std::vector<std::string> names_;
  std::unordered_map<std::string, int32_t> ids_;
};

using LabelCounts = std::map<std::string, int64_t>;  // number of records, or of words, with each label

// Stands for the labels while records are checked: counts those that it is asked for. Thread-safe.
class LabelCounter final : public Labels {
 public:
  // `known`: the only labels; empty: all are accepted, with the id 0.
  explicit LabelCounter(const std::vector<std::string>& known);

  int32_t id(const std::string& name) const override;

  // A name more than kMost if there are too many to be labels.
  LabelCounts counts() const;
  static constexpr size_t kMost = 10'000;  // with more, the field probably has no labels

 private:
  const bool accepts_all_;
  mutable std::mutex mutex_;
  mutable LabelCounts counts_;
};

// The range of numeric labels, of the lengths of a teacher's vectors, or of the sums of its scores. Any
// thread may add one.
class LabelRange {
 public:
  void add(double label);
  double least() const { return least_; }
  double most() const { return most_; }

 private:
  std::atomic<double> least_ = HUGE_VAL, most_ = -HUGE_VAL;
};

// A teacher's probability of a label. Throws Error `has 2 for "x", expected a probability`.
float probability(std::string_view label, double p);

// Sorts names in the order of their ids: by value if all are integers, otherwise by bytes.
std::vector<std::string> in_order(std::vector<std::string> names);

}  // namespace bert::examples
