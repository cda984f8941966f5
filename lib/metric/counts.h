// Counts of a label, tag or entity type, and what follows from them.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "metric/report.h"

namespace bert::metric {

// How often it is gold, how often it is predicted, and how often both at once.
struct Counts {
  int64_t gold = 0, predicted = 0, both = 0;

  Counts& operator+=(const Counts& other) {
    gold += other.gold;
    predicted += other.predicted;
    both += other.both;
    return *this;
  }
  double precision() const { return share(both, predicted); }
  double recall() const { return share(both, gold); }
  double f1() const { return share(2 * both, gold + predicted); }
};

using CountTable = std::vector<std::pair<std::string, Counts>>;

}  // namespace bert::metric
