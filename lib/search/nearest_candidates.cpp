#include "search/nearest_candidates.h"

#include <algorithm>

namespace bert::search {

void NearestCandidates::add(const Candidate& candidate) {
  candidates_[size_++] = candidate;
  if (!(candidate.score > best_)) return;
  best_ = candidate.score;
  limit_ = best_ - slack_;
  const auto end = candidates_.begin() + static_cast<std::ptrdiff_t>(size_);
  const auto left =
      std::remove_if(candidates_.begin(), end, [this](const Candidate& its) { return its.score < limit_; });
  size_ = static_cast<size_t>(left - candidates_.begin());
}

void NearestCandidates::keep_only(const Candidate& candidate) {
  candidates_[0] = candidate;
  size_ = 1;
}

}  // namespace bert::search
