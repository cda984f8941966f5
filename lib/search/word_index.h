// What a search by words needs: an inverted index of texts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/sparse_weights.h"
#include "search/nearest.h"

namespace bert::search {

struct WordQuery {
  std::string text;                      // "": it has none
  std::vector<io::TokenWeight> weights;  // for a search by these
};

// How well rows match a query.
struct WordScores {
  explicit WordScores(int64_t count) : values(count) {}

  void add(int64_t row, double value) {  // above 0
    if (values[row] == 0) rows.push_back(row);
    values[row] += value;
  }
  std::vector<Neighbor> best(int64_t count) const;

  std::vector<double> values;  // of all rows; 0: has nothing of the query
  std::vector<int64_t> rows;   // the others, in any order
};

class WordIndex {
 public:
  virtual ~WordIndex() = default;

  virtual int64_t rows() const = 0;
  // Equal for equal queries, however many threads call it.
  virtual WordScores scores(const WordQuery& query) const = 0;
  // The rows whose texts may contain all these parts, ascending.
  virtual std::vector<int64_t> candidates_with(const std::vector<std::string_view>& parts) const = 0;
};

}  // namespace bert::search
