#include "search/lexical.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace bert::search {
namespace {

constexpr double kSaturation = 1.2, kLengthShare = 0.75;  // k1 and b

void append(std::string& bytes, uint64_t number) {
  for (; number >= 0x80; number >>= 7) bytes += static_cast<char>(number | 0x80);
  bytes += static_cast<char>(number);
}

uint64_t take(const char*& at) {
  uint64_t number = 0;
  for (int shift = 0;; shift += 7) {
    const auto byte = static_cast<unsigned char>(*at++);
    number |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return number;
  }
}

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
    auto& postings = postings_[*begin];
    append(postings.bytes, row - postings.last);
    append(postings.bytes, end - begin);
    postings.last = row;
    ++postings.rows;
    begin = end;
  }
}

// Calls `use` with each row and the count of the term in it.
template <class Use>
void LexicalIndex::each(const Postings& postings, Use use) const {
  const char* at = postings.bytes.data();
  int64_t row = -1;
  for (int64_t i = 0; i < postings.rows; ++i) {
    row += static_cast<int64_t>(take(at));
    use(row, take(at));
  }
}

std::vector<Neighbor> LexicalScores::best(int64_t count) const {
  Best best(count);
  for (const int64_t row : rows) best.add({.row = row, .value = values[row]});
  return std::move(best).sorted();
}

LexicalScores LexicalIndex::scores(std::span<const std::string> terms) const {
  LexicalScores scores{.values = std::vector<double>(lengths_.size()), .rows = {}};
  const double mean = length_ / static_cast<double>(rows());
  for (const auto& term : terms) {
    const auto number = terms_.find(term);
    if (!number) continue;
    const auto& postings = postings_[*number];
    const auto n = postings.rows;
    const double rarity = std::log1p((static_cast<double>(rows()) - n + 0.5) / (n + 0.5));
    each(postings, [&](int64_t row, double count) {
      const double length = kLengthShare * lengths_[row] / mean;
      double& value = scores.values[row];
      if (value == 0) scores.rows.push_back(row);
      value += rarity * count / (count + kSaturation * (1 - kLengthShare + length));
    });
  }
  return scores;
}

std::vector<int64_t> LexicalIndex::rows_with(std::span<const std::string> terms) const {
  std::vector<int64_t> common;
  for (size_t i = 0; i < terms.size(); ++i) {
    const auto number = terms_.find(terms[i]);
    if (!number) return {};
    std::vector<int64_t> rows, both;
    each(postings_[*number], [&](int64_t row, double) { rows.push_back(row); });
    if (i == 0) {
      common = std::move(rows);
      continue;
    }
    std::ranges::set_intersection(common, rows, std::back_inserter(both));
    common = std::move(both);
  }
  return common;
}

}  // namespace bert::search
