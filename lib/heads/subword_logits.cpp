#include "heads/subword_logits.h"

#include <algorithm>

namespace bert::heads {
namespace {

// Maximum number of logits in memory: 16 MiB, 128 rows for a vocabulary of 30522.
constexpr int64_t kLogitsAtOnce = 4 << 20;

// Rows [begin, end) of `from`.
nn::Tensor part(const nn::Tensor& from, int64_t begin, int64_t end) {
  nn::Tensor to(end - begin, from.cols());
  for (int64_t r = begin; r < end; ++r) std::ranges::copy(from.values(r), to.row(r - begin));
  return to;
}

}  // namespace

void for_each_row(model::Network& network, Pool& pool, const nn::Tensor& hidden,
                  const std::function<void(size_t row, std::span<const float> logits)>& use) {
  const int64_t step = std::max<int64_t>(1, kLogitsAtOnce / network.config().vocab_size);
  for (int64_t begin = 0; begin < hidden.rows(); begin += step) {
    const int64_t end = std::min(begin + step, hidden.rows());
    const nn::Tensor logits = network.logits(part(hidden, begin, end));
    pool.run_grid(end - begin, [&](int64_t r, int) { use(begin + r, logits.values(r)); });
  }
}

}  // namespace bert::heads
