#include "search/lexical.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>

#include "text/terms.h"

namespace bert::search {
namespace {

constexpr double kSaturation = 1.2, kLengthShare = 0.75;  // k1 and b

}  // namespace

void LexicalIndex::add(std::span<const std::string> terms) {
  numbers_.clear();
  for (const auto& term : terms) numbers_.push_back(terms_.add(term).first);
  postings_.resize(terms_.size());
  const int64_t row = rows();
  lengths_.push_back(numbers_.size());
  length_ += numbers_.size();
  std::ranges::sort(numbers_);
  for (auto begin = numbers_.begin(); begin != numbers_.end();) {
    const auto end = std::upper_bound(begin, numbers_.end(), *begin);
    postings_[*begin].add(row, end - begin);
    begin = end;
  }
}

std::vector<Neighbor> WordScores::best(int64_t count) const {
  Best best(count);
  for (const int64_t row : rows) best.add({.row = row, .value = values[row]});
  return std::move(best).sorted();
}

WordScores LexicalIndex::scores(std::span<const std::string> terms) const {
  WordScores scores(rows());
  const double mean = length_ / static_cast<double>(rows());
  for (const auto& term : terms) {
    const auto number = terms_.find(term);
    if (!number) continue;
    const auto& postings = postings_[*number];
    const auto n = postings.rows();
    const double rarity = std::log1p((static_cast<double>(rows()) - n + 0.5) / (n + 0.5));
    postings.each([&](int64_t row, double count) {
      const double length = kLengthShare * lengths_[row] / mean;
      scores.add(row, rarity * count / (count + kSaturation * (1 - kLengthShare + length)));
    });
  }
  return scores;
}

WordScores LexicalIndex::scores(const WordQuery& query) const {
  return scores(text::TermSplitter().split(query.text));
}

std::vector<int64_t> LexicalIndex::rows_with(std::span<const std::string> terms) const {
  std::vector<int64_t> common;
  for (size_t i = 0; i < terms.size(); ++i) {
    const auto number = terms_.find(terms[i]);
    if (!number) return {};
    std::vector<int64_t> rows, both;
    postings_[*number].each([&](int64_t row, uint64_t) { rows.push_back(row); });
    if (i == 0) {
      common = std::move(rows);
      continue;
    }
    std::ranges::set_intersection(common, rows, std::back_inserter(both));
    common = std::move(both);
  }
  return common;
}

// All rows, if the parts have no terms.
std::vector<int64_t> LexicalIndex::candidates_with(const std::vector<std::string_view>& parts) const {
  text::TermSplitter splitter;
  std::vector<std::string> terms;
  for (const auto part : parts)
    for (const auto& term : splitter.split(part)) terms.push_back(term);
  if (!terms.empty()) return rows_with(terms);
  std::vector<int64_t> rows(lengths_.size());
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

}  // namespace bert::search
