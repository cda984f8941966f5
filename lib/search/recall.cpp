#include "search/recall.h"

#include <algorithm>
#include <cstdio>

#include "base/error.h"

namespace bert::search {

void Recall::add(std::span<const float* const> queries, std::span<const std::vector<Neighbor>> found) {
  const int64_t count = std::min(left_, std::ssize(queries));
  if (count == 0) return;
  const auto exact = exact_.nearest(queries.first(count), wanted_);
  for (int64_t q = 0; q < count; ++q) {
    if (exact[q].empty()) continue;
    const auto best = std::span(found[q]).first(std::min(found[q].size(), exact[q].size()));
    nearest_ += std::ssize(exact[q]);
    found_ += std::ranges::count_if(
        best, [last = exact[q].back().value](const Neighbor& neighbor) { return neighbor.value >= last; });
  }
  left_ -= count;
  queries_ += count;
}

void Recall::report(Log& log) const {
  const double share = nearest_ > 0 ? found_ / static_cast<double>(nearest_) : 1;
  char text[32];
  std::snprintf(text, sizeof text, "%.4f", share);
  log.warn("recall@" + std::to_string(wanted_.count) + " of " + counted(queries_, "query", "queries") + ": " +
           text);
}

}  // namespace bert::search
