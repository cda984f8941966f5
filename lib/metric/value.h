// What a metric says: its name as in bert-score's output, and a number. A metric that is not defined for what
// it was given (a correlation of constants) is not a number.
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

// Shares of counts; 0 where there is nothing to divide by, as in sklearn and conlleval.
inline double share(int64_t part, int64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace bert::metric
