// Search by the weights of tokens that a model such as SPLADE gives texts (Formal et al. 2021, "SPLADE v2:
// Sparse lexical and expansion model for information retrieval").
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/string_table.h"
#include "search/postings.h"
#include "search/word_index.h"

namespace bert::search {

// The weights of texts, by row. Memory: about 6 to 7 bytes for each weight, twice as much at worst, and the
// tokens.
class SparseIndex final : public WordIndex {
 public:
  // The next row. All weights are above 0, and tokens differ.
  void add(std::span<const io::TokenWeight> weights);

  int64_t rows() const override { return rows_; }
  // The dot products of the weights, in f64.
  WordScores scores(const WordQuery& query) const override;
  // All rows: their tokens may be other ones than those of their texts.
  std::vector<int64_t> candidates_with(const std::vector<std::string_view>& parts) const override;

 private:
  StringTable tokens_;
  std::vector<Postings> postings_;  // by token; the numbers are the bits of weights
  int64_t rows_ = 0;
};

}  // namespace bert::search
