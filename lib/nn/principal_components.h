// Principal component analysis: the directions in which rows of numbers vary most, or are longest.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/pool.h"

namespace bert::nn {

struct PrincipalComponents {
  int64_t rows = 0, count = 0;
  std::vector<float> scores;  // [rows, count]: the rows minus their mean, along each component
  double explained = 0;       // share of the variance, 0 to 1
};

// With `kept`, the mean is not subtracted: lengths and angles of the rows stay as they are.
enum class Mean { subtracted, kept };

// The first `count` components of `data` [rows, width], from the eigenvectors of its covariance, in double.
// A component has the sign that makes the score of largest magnitude positive. The results do not depend on
// the number of threads. `count` is at most `width`. The caller is the pool's driver.
PrincipalComponents principal_components(std::span<const float> data, int64_t width, int64_t count,
                                         Pool& pool, Mean mean = Mean::subtracted);

}  // namespace bert::nn
