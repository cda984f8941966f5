#include "examples/share.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>

namespace bert::examples {

std::vector<int> share_out(std::span<const Weight> batch, std::vector<int64_t>& loads) {
  std::vector<size_t> order(batch.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, std::greater(), [&](size_t i) { return batch[i].tokens; });
  std::vector<int> ranks(batch.size());
  for (const size_t i : order) {
    auto least = std::ranges::min_element(loads);
    const auto of_reader = loads.begin() + batch[i].reader;
    if (*of_reader == *least) least = of_reader;
    *least += batch[i].tokens;
    ranks[i] = least - loads.begin();
  }
  return ranks;
}

}  // namespace bert::examples
