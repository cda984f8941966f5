#include "search/pairs.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <utility>

namespace bert::search {
namespace {

constexpr int64_t kMostRows = 512;  // at a time

}  // namespace

PairSearch::PairSearch(const Vectors& vectors, Metric metric, double limit, Pool& pool, int64_t most)
    : vectors_(vectors),
      limit_(limit),
      most_(most),
      pool_(pool),
      scan_(vectors, metric, pool),
      step_(kMostRows) {}

bool PairSearch::next(std::vector<Pair>& pairs) {
  pairs.clear();
  if (begin_ >= vectors_.rows()) return false;
  int64_t count = std::min(step_, vectors_.rows() - begin_);
  for (; !search(count, pairs); step_ = count) count = std::max<int64_t>(1, count / 8);
  step_ = std::min(kMostRows, 2 * step_);
  begin_ += count;
  return true;
}

// False if there are too many pairs.
bool PairSearch::search(int64_t count, std::vector<Pair>& pairs) {
  const size_t width = vectors_.width();
  std::vector<float> copies(count * width);
  std::vector<const float*> rows;
  nn::Memory scratch;
  for (int64_t i = 0; i < count; ++i) {
    rows.push_back(copies.data() + i * width);
    std::copy_n(vectors_.row(begin_ + i, scratch), width, copies.data() + i * width);
  }
  const std::vector<double> limits(rows.size(), limit_);
  std::vector<std::vector<Pair>> found(pool_.size());
  std::atomic<int64_t> total = 0;
  scan_.run({.rows = rows, .limits = limits}, begin_ / kBlock, vectors_.blocks(),
            [&](int64_t query, int64_t row, double value, int thread) {
              const int64_t a = begin_ + query;
              if (row <= a || value < limit_) return limit_;
              if (++total > most_ && count > 1) return static_cast<double>(INFINITY);
              found[thread].push_back({.a = a, .b = row, .value = value});
              return limit_;
            });
  if (total > most_ && count > 1) return false;
  for (const auto& part : found) pairs.insert(pairs.end(), part.begin(), part.end());
  std::ranges::sort(pairs, {}, [](const Pair& pair) { return std::pair(pair.a, pair.b); });
  return true;
}

}  // namespace bert::search
