// A metric: its name as in bert-score's output, and its value, NaN if undefined (a correlation of constants).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bert::metric {

struct Value {
  std::string name;
  double value = 0;
};
using Values = std::vector<Value>;

// The ratio of two counts; 0 if `whole` is 0, as in sklearn and conlleval.
inline double share(int64_t part, int64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace bert::metric
