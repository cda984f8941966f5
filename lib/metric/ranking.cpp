#include "metric/ranking.h"

#include <algorithm>
#include <limits>

#include "metric/report.h"

namespace bert::metric {

void ReciprocalRank::add(std::string_view query, Relevant relevant, double score) {
  passages_.push_back({.score = score, .query = queries_.add(query).first, .relevant = relevant});
}

// First finds the best relevant score of each query, then counts the other passages that reach it.
double ReciprocalRank::value() const {
  if (queries() == 0) return 0;
  constexpr double kNone = -std::numeric_limits<double>::infinity();
  std::vector<double> best(queries_.size(), kNone);
  for (const Passage& passage : passages_) {
    if (passage.relevant == Relevant::yes) best[passage.query] = std::max(best[passage.query], passage.score);
  }
  std::vector<uint32_t> before(queries_.size());
  for (const Passage& passage : passages_) {
    if (passage.relevant == Relevant::no && passage.score >= best[passage.query]) ++before[passage.query];
  }
  double sum = 0;
  for (size_t i = 0; i < best.size(); ++i) {
    if (best[i] != kNone) sum += 1.0 / (1.0 + before[i]);
  }
  return sum / static_cast<double>(queries());
}

void TopHits::add(std::optional<int64_t> place, int64_t candidates) {
  if (place) {
    ++places_[*place];
    reciprocals_ += 1 / static_cast<double>(*place + 1);
  }
  fewest_ = count_ == 0 ? candidates : std::min(fewest_, candidates);
  ++count_;
}

double TopHits::share_of(int64_t k) const {
  int64_t hits = 0;
  for (const auto& [place, count] : places_) {
    if (place < k) hits += count;
  }
  return share(hits, count_);
}

}  // namespace bert::metric
