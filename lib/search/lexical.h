// Search by words: BM25 (Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009) over the terms
// of text/terms.h.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/string_table.h"
#include "search/nearest.h"

namespace bert::search {

// How well rows match a query by words.
struct LexicalScores {
  std::vector<double> values;  // of all rows; 0: none of the terms
  std::vector<int64_t> rows;   // the others, in any order
  std::vector<Neighbor> best(int64_t count) const;
};

// The terms of texts, by row. Memory: about 3 bytes for each different term of a text, 8 for each text, and
// the vocabulary.
class LexicalIndex {
 public:
  // The next row.
  void add(std::span<const std::string> terms);

  int64_t rows() const { return static_cast<int64_t>(lengths_.size()); }

  // Scores of rows for a query: the sum over the terms t of
  //
  //   log(1 + (rows - n + 0.5) / (n + 0.5)) * f / (f + k1 * (1 - b + b * length / mean length))
  //
  // where n rows have t, f times in a row of that length in terms; k1 1.2, b 0.75, as in Lucene. A term that
  // the query repeats counts as often. Any thread may call it.
  LexicalScores scores(std::span<const std::string> terms) const;

  // The rows that have all these terms.
  std::vector<int64_t> rows_with(std::span<const std::string> terms) const;

 private:
  // Rows that have a term, and how often: differences of rows and counts, each in groups of 7 bits.
  struct Postings {
    int64_t rows = 0, last = -1;
    std::string bytes;
  };
  template <class Use>
  void each(const Postings& postings, Use use) const;

  StringTable terms_;
  std::vector<Postings> postings_;  // by term
  std::vector<uint32_t> lengths_;   // terms of each row
  int64_t length_ = 0;              // of all rows
  std::vector<uint32_t> numbers_;   // of the terms of a text, reused
};

}  // namespace bert::search
