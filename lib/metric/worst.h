// The records with the highest losses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>

#include "io/output.h"
#include "metric/scorer.h"

namespace bert::metric {

class WorstRecords {
 public:
  explicit WorstRecords(size_t most) : most_(most) {}

  // Keeps a copy if the loss is among the highest so far; of equal losses, the first ones. Records come in
  // order.
  void add(const io::Record& record, const Scorer::Miss& miss, int precision);
  bool is_empty() const { return kept_.empty(); }
  void write(io::Output& out) const;  // the highest loss first, with the gold label and the loss

 private:
  struct Kept {
    double loss;
    int64_t order;
    io::Added fields;
    bool operator<(const Kept& other) const {
      return loss != other.loss ? loss > other.loss : order < other.order;
    }
  };

  size_t most_;
  int64_t added_ = 0;
  std::set<Kept> kept_;
};

}  // namespace bert::metric
