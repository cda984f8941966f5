// How well predicted probabilities match the share of correct predictions (Guo et al. 2017, "On Calibration
// of Modern Neural Networks", section 2).
#pragma once

#include <array>
#include <cstdint>

namespace bert::metric {

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
