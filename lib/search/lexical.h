// Search by words: BM25 (Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009) over the terms
// of text/terms.h.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/string_table.h"
#include "search/postings.h"
#include "search/word_index.h"

namespace bert::search {

// The terms of texts, by row. Memory: about 3 bytes for each different term of a text, 8 for each text, and
// the vocabulary.
class LexicalIndex final : public WordIndex {
 public:
  // The next row.
  void add(std::span<const std::string> terms);

  int64_t rows() const override { return static_cast<int64_t>(lengths_.size()); }

  // Scores of rows for a query: the sum over the terms t of
  //
  //   log(1 + (rows - n + 0.5) / (n + 0.5)) * f / (f + k1 * (1 - b + b * length / mean length))
  //
  // where n rows have t, f times in a row of that length in terms; k1 1.2, b 0.75, as in Lucene. A term that
  // the query repeats counts as often. Any thread may call it.
  WordScores scores(std::span<const std::string> terms) const;
  WordScores scores(const WordQuery& query) const override;  // the terms of its text

  // The rows that have all these terms.
  std::vector<int64_t> rows_with(std::span<const std::string> terms) const;
  std::vector<int64_t> candidates_with(const std::vector<std::string_view>& parts) const override;

 private:
  StringTable terms_;
  std::vector<Postings> postings_;  // by term; the numbers say how often a row has it
  std::vector<uint32_t> lengths_;   // terms of each row
  int64_t length_ = 0;              // of all rows
  std::vector<uint32_t> numbers_;   // of the terms of a text, reused
};

}  // namespace bert::search
