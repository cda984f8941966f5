#include "search/hybrid.h"

#include <algorithm>
#include <map>

namespace bert::search {
namespace {

constexpr std::string_view kOpening = "“", kClosing = "”", kStraight = "\"";

std::vector<Neighbor> sorted(std::vector<Neighbor> found) {
  std::ranges::sort(found, [](const Neighbor& a, const Neighbor& b) { return a.before(b); });
  return found;
}

}  // namespace

std::vector<Neighbor> join_by_ranks(std::span<const Neighbor> by_vector, std::span<const Neighbor> by_words) {
  std::map<int64_t, double> sums;
  for (const auto list : {by_vector, by_words}) {
    double rank = 0;
    for (const auto& neighbor : list) sums[neighbor.row] += 1 / (kSmoothing + ++rank);
  }
  std::vector<Neighbor> joined;
  for (const auto& [row, sum] : sums) joined.push_back({.row = row, .value = sum});
  return sorted(std::move(joined));
}

std::vector<Neighbor> join_by_weight(std::span<const Candidate> candidates, double weight) {
  double most = 0;
  for (const auto& candidate : candidates) most = std::max(most, candidate.words);
  std::vector<Neighbor> joined;
  for (const auto& [row, vector, words] : candidates)
    joined.push_back({.row = row, .value = weight * vector + (most > 0 ? (1 - weight) * words / most : 0)});
  return sorted(std::move(joined));
}

std::vector<std::string_view> quoted_parts(std::string_view query) {
  std::vector<std::string_view> parts;
  while (!query.empty()) {
    const bool is_curly = query.starts_with(kOpening);
    const auto opening = is_curly ? kOpening : kStraight, closing = is_curly ? kClosing : kStraight;
    const auto end = query.starts_with(opening) ? query.find(closing, opening.size()) : query.npos;
    if (end == query.npos) {
      query.remove_prefix(1);
      continue;
    }
    const auto part = query.substr(opening.size(), end - opening.size());
    if (!part.empty()) parts.push_back(part);
    query.remove_prefix(end + closing.size());
  }
  return parts;
}

}  // namespace bert::search
