// Which records to label next (active learning): those whose predictions are the least certain (uncertainty
// sampling, Lewis and Gale 1994), without a second one of the same kind, which would teach little.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "io/filter.h"
#include "predict/predict_filter.h"

namespace bert::predict {

// Writes `count` records with their predictions and `uncertainty`, the least certain first. A record is left
// out if its vector is near that of one before it: nearer than kApart times the mean distance, 1 - cosine. In
// memory are the kPool * count least certain ones. On SST-2, texts further apart than that taught less.
class UncertainFilter final : public io::Filter {
 public:
  static constexpr size_t kPool = 10;
  static constexpr double kApart = 0.3;

  // `predictor` must keep vectors and outlive this object.
  UncertainFilter(PredictFilter& predictor, size_t count, int precision)
      : predictor_(predictor), count_(count), precision_(precision) {}

  void prepare(const io::Fields& fields, io::Record& record) const override {
    predictor_.prepare(fields, record);
  }
  int64_t cost(const io::Record& record) const override { return predictor_.cost(record); }
  void compute(std::span<io::Record* const> records) override;
  void finish(io::Record& record, io::Output& out) const override;
  void end(io::Output& out) override;
  void report(Log& log) const override;

 private:
  struct Kept {
    double uncertainty;
    int64_t order;
    std::vector<float> vector;  // of length 1, or 0
    io::Added fields;
    bool operator<(const Kept& other) const {
      return uncertainty != other.uncertainty ? uncertainty > other.uncertainty : order < other.order;
    }
  };

  void add(io::Record& record);
  double mean_distance() const;

  PredictFilter& predictor_;
  const size_t count_;
  const int precision_;
  int64_t seen_ = 0;
  size_t written_ = 0;
  std::set<Kept> kept_;  // the least certain first
};

}  // namespace bert::predict
