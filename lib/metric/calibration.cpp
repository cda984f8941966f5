#include "metric/calibration.h"

#include <algorithm>
#include <cmath>

namespace bert::metric {

void Calibration::add(double confidence, bool correct) {
  const int b = std::clamp(static_cast<int>(std::ceil(confidence * kBins)) - 1, 0, kBins - 1);
  Bin& bin = bins_[static_cast<size_t>(b)];
  ++bin.count;
  bin.correct += correct;
  bin.confidence += confidence;
  ++count_;
}

double Calibration::error() const {
  double sum = 0;
  for (const Bin& bin : bins_) sum += std::abs(static_cast<double>(bin.correct) - bin.confidence);
  return sum / static_cast<double>(count_);
}

}  // namespace bert::metric
