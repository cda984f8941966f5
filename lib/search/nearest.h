// The nearest rows of a query.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/pool.h"
#include "search/scan.h"
#include "search/vectors.h"

namespace bert::search {

struct Neighbor {
  int64_t row = 0;
  double value = 0;  // larger is better, see scan.h

  // The order of results: best first, equal ones by row.
  bool before(const Neighbor& other) const {
    return value != other.value ? value > other.value : row < other.row;
  }
};

// The best `count` neighbors seen.
class Best {
 public:
  explicit Best(int64_t count) : count_(count) {}

  void add(const Neighbor& neighbor);
  double limit() const;  // the value that a neighbor must reach to be added
  std::vector<Neighbor> sorted() &&;
  std::span<const Neighbor> all() const { return heap_; }  // in any order

 private:
  size_t count_;
  std::vector<Neighbor> heap_;  // the worst one first
};

// Which rows are wanted: the `count` best ones that have at least this value.
struct Wanted {
  Wanted(int64_t count, double least = -INFINITY) : count(count), least(least) {}  // NOLINT: a number will do

  int64_t count;
  double least;
};

class Search {
 public:
  virtual ~Search() = default;

  // For each query, its nearest rows, best first; fewer than wanted if there are no more. Driver only.
  virtual std::vector<std::vector<Neighbor>> nearest(std::span<const float* const> queries,
                                                     Wanted wanted) = 0;

  // What could not be done for later runs, with the results unharmed; "": nothing.
  virtual std::string failure() const { return {}; }
};

// Exact search: compares each query with all rows. The result is that of a search in f64.
class ExactSearch final : public Search {
 public:
  // References must outlive this object.
  ExactSearch(const Vectors& vectors, Metric metric, Pool& pool);

  std::vector<std::vector<Neighbor>> nearest(std::span<const float* const> queries, Wanted wanted) override;

 private:
  void search(std::span<const float* const> queries, Wanted wanted, std::span<std::vector<Neighbor>> results);

  const Vectors& vectors_;
  Pool& pool_;
  Scan scan_;
};

}  // namespace bert::search
