#include "search/cluster_terms.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace bert::search {
namespace {

// G² if `found` of a cluster's `own` rows have a term, and `in_all` of all `rows`; 0 unless the cluster's
// share is above that of the others.
double log_likelihood(int64_t found, int64_t own, int64_t in_all, int64_t rows) {
  if (found * rows <= in_all * own) return 0;
  const auto part = [&](int64_t observed, int64_t row_total, int64_t column_total) {
    if (observed == 0) return 0.0;
    const auto x = observed;
    return x * std::log(x * static_cast<double>(rows) / (row_total * static_cast<double>(column_total)));
  };
  return 2 * (part(found, own, in_all) + part(own - found, own, rows - in_all) +
              part(in_all - found, rows - own, in_all) +
              part(rows - own - in_all + found, rows - own, rows - in_all));
}

}  // namespace

void ClusterTerms::add(std::span<const std::string> terms) {
  numbers_.clear();
  for (const auto& term : terms) numbers_.push_back(terms_.add(term).first);
  std::ranges::sort(numbers_);
  numbers_.erase(std::unique(numbers_.begin(), numbers_.end()), numbers_.end());
  bytes_.assign(reinterpret_cast<const char*>(numbers_.data()), numbers_.size() * sizeof(uint32_t));
  rows_.push_back({.offset = spool_.append(bytes_), .terms = numbers_.size()});
}

std::span<const uint32_t> ClusterTerms::read(const Row& row) {
  bytes_.resize(row.terms * sizeof(uint32_t));
  spool_.read(row.offset, bytes_);
  numbers_.resize(row.terms);
  std::memcpy(numbers_.data(), bytes_.data(), bytes_.size());
  return numbers_;
}

std::vector<std::vector<std::string>> ClusterTerms::best(const Clustering& clustering, int64_t count) {
  std::vector<std::vector<size_t>> rows_of(clustering.sizes.size());
  std::vector<int64_t> in_all(terms_.size());  // rows with each term
  int64_t rows = 0;
  for (size_t row = 0; row < rows_.size(); ++row) {
    const int32_t cluster = clustering.cluster[row];
    if (cluster == kNoCluster) continue;
    rows_of[cluster].push_back(row);
    for (const uint32_t term : read(rows_[row])) ++in_all[term];
    ++rows;
  }
  std::vector<std::vector<std::string>> best;
  std::vector<int64_t> inside(terms_.size());
  for (const auto& own : rows_of) {
    std::vector<uint32_t> found;
    for (const size_t row : own)
      for (const uint32_t term : read(rows_[row]))
        if (inside[term]++ == 0) found.push_back(term);
    std::vector<std::pair<double, std::string_view>> scored;
    for (const uint32_t term : found) {
      const double ratio =
          log_likelihood(std::exchange(inside[term], 0), std::ssize(own), in_all[term], rows);
      if (ratio > 0) scored.emplace_back(-ratio, terms_.at(term));
    }
    const auto most = std::min<int64_t>(count, std::ssize(scored));
    std::ranges::partial_sort(scored, scored.begin() + most);
    auto& terms = best.emplace_back();
    for (const auto& [ratio, term] : std::span(scored).first(most)) terms.emplace_back(term);
  }
  return best;
}

}  // namespace bert::search
