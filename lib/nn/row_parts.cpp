#include "nn/row_parts.h"

#include <algorithm>

#include "nn/blocks.h"
#include "nn/onednn.h"

namespace bert::nn {
namespace {

constexpr int64_t kMostRows = 72;  // so that wide layers of BERT-base fit into the L2 cache

// The least rows: one for so many bytes of weights, which take as long to read as a row to compute; and so
// many for each thread, since they share the bandwidth of the L3 cache, up to a number that is always enough.
constexpr int64_t kBytesOfRow = 600'000, kRowsOfThread = 4, kEnoughRows = 48;

}  // namespace

int64_t parts_of_rows(const Pass& pass, Dtype dtype, int64_t rows, int64_t numbers) {
  static const bool amx = has_amx();
  if (pass.keeps || pass.dropout_seed != nullptr || dtype == Dtype::f32 || amx) return 1;
  const int64_t threads = pass.context.pool().size();
  if (threads == 1) return 1;
  const int64_t bytes = numbers * static_cast<int64_t>(size_of(dtype)),
                least = std::max(bytes / kBytesOfRow, std::min(threads * kRowsOfThread, kEnoughRows)),
                parts = round_up(parts_of(rows, kMostRows), threads);
  return rows / parts < least ? 1 : parts;
}

void for_parts_of_rows(const Pass& pass, int64_t parts, int64_t rows,
                       const std::function<void(const Pass&, const RowPart&)>& f) {
  pass.context.pool().run_grid(parts, [&](int64_t i, int thread) {
    const int64_t first = i * rows / parts, end = (i + 1) * rows / parts;
    f({.context = pass.context.alone(thread), .weights = pass.weights, .offsets = {}},
      {.first = first, .rows = end - first, .thread = thread});
  });
}

}  // namespace bert::nn
