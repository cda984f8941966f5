#include "search/sparse_index.h"

#include <bit>
#include <numeric>

namespace bert::search {

void SparseIndex::add(std::span<const io::TokenWeight> weights) {
  for (const auto& [token, weight] : weights) {
    const auto number = tokens_.add(token).first;
    if (number == postings_.size()) postings_.emplace_back();
    postings_[number].add(rows_, std::bit_cast<uint32_t>(weight));
  }
  ++rows_;
}

WordScores SparseIndex::scores(const WordQuery& query) const {
  WordScores scores(rows_);
  for (const auto& [token, weight] : query.weights) {
    const auto number = tokens_.find(token);
    if (!number) continue;
    postings_[*number].each([&, factor = double{weight}](int64_t row, uint64_t bits) {
      scores.add(row, factor * std::bit_cast<float>(static_cast<uint32_t>(bits)));
    });
  }
  return scores;
}

std::vector<int64_t> SparseIndex::candidates_with(const std::vector<std::string_view>&) const {
  std::vector<int64_t> rows(rows_);
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

}  // namespace bert::search
