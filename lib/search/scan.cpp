#include "search/scan.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "nn/blocks.h"
#include "nn/products.h"

namespace bert::search {
namespace {

constexpr int64_t kQueries = 256;  // queries of one product, so that its result fits in the cache
constexpr int64_t kTested = 64;    // most scores that are tested together; divides kQueries
constexpr int64_t kFew = 4;        // queries that are not worth a product

// Norms between these bounds neither overflow nor underflow in a product with a vector of unit length.
constexpr float kShortest = 1e-25f, kLongest = 1e37f;

double squared_distance(std::span<const float> a, const float* b) {
  constexpr size_t kLanes = 8;
  double sums[kLanes] = {}, rest = 0;
  const auto squared = [&](size_t i) {
    const double difference = static_cast<double>(a[i]) - static_cast<double>(b[i]);
    return difference * difference;
  };
  size_t i = 0;
  for (; i + kLanes <= a.size(); i += kLanes) {
    for (size_t k = 0; k < kLanes; ++k) sums[k] += squared(i + k);
  }
  for (; i < a.size(); ++i) rest += squared(i);
  return ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7])) + rest;
}

// Whether one of n scores is not below its least one; NaN is not. n is a multiple of 16.
bool any_reaches(int64_t n, const float* scores, const float* least, float scale, float shift) {
  int reaches = 0;
  for (int64_t q = 0; q < n; ++q) reaches |= !(scores[q] * scale - shift < least[q]);
  return reaches != 0;
}

}  // namespace

double value_of(Metric metric, std::span<const float> q, const float* x) {
  if (metric == Metric::l2) return -squared_distance(q, x);
  const double product = dot(q, x);
  if (metric == Metric::dot) return product;
  const double squares = dot(q, q.data()) * dot({x, q.size()}, x);
  return squares > 0 ? product / std::sqrt(squares) : 0;
}

struct Scan::Thread {
  nn::Memory block, row, scores;
  std::vector<double> limits;  // for each query, on this thread
  std::vector<float> least;    // for each query, for scores in f32 of the current block
};

Scan::Scan(const Vectors& vectors, Metric metric, Pool& pool)
    : vectors_(vectors),
      metric_(metric),
      pool_(pool),
      kernels_(nn::usable_kernels()),
      threads_(static_cast<size_t>(pool.size())) {}

Scan::~Scan() = default;

void Scan::prepare(const Queries& queries) {
  const auto count = static_cast<int64_t>(queries.rows.size()), width = vectors_.width();
  stride_ = nn::round_up(count, count > kTested / 2 ? kTested : nn::kBlockColumns);
  units_.resize(queries.rows.size() * static_cast<size_t>(width));
  query_norms_.resize(queries.rows.size());
  pool_.run_grid(count, [&](int64_t q, int) {
    const std::span<const float> from(queries.rows[static_cast<size_t>(q)], static_cast<size_t>(width));
    const double norm = std::sqrt(dot(from, from.data()));
    query_norms_[static_cast<size_t>(q)] = norm;
    const double divisor = metric_ == Metric::cosine && norm > 0 ? norm : 1;
    std::ranges::transform(from, units_.begin() + q * width,
                           [&](float x) { return static_cast<float>(static_cast<double>(x) / divisor); });
  });
  if (count > kFew) transpose();
}

// By blocks of columns, so that lines of the cache are written whole.
void Scan::transpose() {
  const auto count = static_cast<int64_t>(query_norms_.size()), width = vectors_.width();
  if (const auto floats = static_cast<size_t>(width * stride_); columns_.size() < floats)
    columns_ = nn::Memory(floats);
  pool_.run_grid(stride_ / nn::kBlockColumns, [&](int64_t part, int) {
    const int64_t begin = part * nn::kBlockColumns, end = begin + nn::kBlockColumns;
    for (int64_t i = 0; i < width; ++i) {
      for (int64_t q = begin; q < end; ++q)
        columns_.data()[i * stride_ + q] = q < count ? units_[static_cast<size_t>(q * width + i)] : 0;
    }
  });
}

// Products of rows of a block and queries [column, column + columns) to `scores`, kQueries apart. For few
// queries they are computed one by one, since memory limits the speed.
void Scan::multiply(const float* block, int64_t rows, int64_t column, int64_t columns, float* scores) const {
  const auto count = static_cast<int64_t>(query_norms_.size()), width = vectors_.width();
  if (count > kFew) {
    nn::multiply(kernels_, {.rows = rows,
                            .cols = columns,
                            .depth = width,
                            .a = {.numbers = block, .stride = width},
                            .b = {.numbers = columns_.data() + column, .stride = stride_},
                            .c = scores,
                            .c_stride = kQueries,
                            .room = true});
    return;
  }
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t q = 0; q < count; ++q)
      scores[r * kQueries + q] = kernels_.dot(width, units_.data() + q * width, block + r * width);
  }
}

// The least score in f32, as any_reaches computes it, of a row whose exact value reaches `limit`. `longest`:
// the largest norm of a row. Scores are x·q / |x| for cosine, x·q for dot, x·q - |x|²/2 for l2.
double Scan::least(int64_t query, double limit, double longest) const {
  constexpr double kEpsilon = 0x1p-24, kUnderflow = 0x1p-126;
  const double n =
      static_cast<double>(vectors_.width()) + 16;  // for the roundings other than those of the sum
  const double gamma = 1.01 * n * kEpsilon;
  const double query_norm = query_norms_[static_cast<size_t>(query)];
  if (metric_ == Metric::cosine) return limit - gamma - n * kUnderflow / static_cast<double>(kShortest);
  const double size = longest * query_norm;
  if (!(size < static_cast<double>(kLongest)) || !(longest * longest < static_cast<double>(kLongest)))
    return -INFINITY;
  const double slack = gamma * size + n * kUnderflow;
  if (metric_ == Metric::dot) return limit - slack;
  return (query_norm * query_norm + limit) / 2 - slack -
         8 * kEpsilon * (longest * longest + query_norm * query_norm);
}

void Scan::run(const Queries& queries, int64_t begin, int64_t end, const Report& report) {
  if (queries.rows.empty() || begin >= end) return;
  prepare(queries);
  for (Thread& thread : threads_) thread.limits.assign(queries.limits.begin(), queries.limits.end());
  pool_.run_grid(end - begin, [&](int64_t i, int thread) {
    scan_block(begin + i, queries, threads_[static_cast<size_t>(thread)], thread, report);
  });
}

void Scan::scan_block(int64_t b, const Queries& queries, Thread& thread, int number, const Report& report) {
  const int64_t first = b * kBlock, rows = std::min(kBlock, vectors_.rows() - first);
  const auto norms = vectors_.norms().subspan(static_cast<size_t>(first), static_cast<size_t>(rows));
  const auto longest = static_cast<double>(*std::ranges::max_element(norms));
  const auto count = static_cast<int64_t>(queries.rows.size()), width = vectors_.width();
  const auto rounded_down = [](double value) { return std::nextafter(static_cast<float>(value), -INFINITY); };

  thread.least.assign(static_cast<size_t>(stride_), INFINITY);  // for columns that are no queries
  for (int64_t q = 0; q < count; ++q)
    thread.least[static_cast<size_t>(q)] =
        rounded_down(least(q, thread.limits[static_cast<size_t>(q)], longest));
  if (thread.scores.size() == 0) thread.scores = nn::Memory(static_cast<size_t>((kBlock + 16) * kQueries));
  const float* const block = vectors_.block(b, thread.block);

  for (int64_t column = 0; column < stride_; column += kQueries) {
    const int64_t columns = std::min(kQueries, stride_ - column);
    float* const scores = thread.scores.data();
    multiply(block, rows, column, columns, scores);
    for (int64_t r = 0; r < rows; ++r) {
      const float norm = norms[static_cast<size_t>(r)];
      float scale = 1, shift = 0;
      if (metric_ == Metric::cosine) scale = norm > kShortest && norm < kLongest ? 1 / norm : NAN;
      if (metric_ == Metric::l2) shift = norm * norm / 2;
      for (int64_t from = 0; from < columns; from += kTested) {
        const int64_t tests = std::min(kTested, columns - from);
        const float* const tested = scores + r * kQueries + from;
        float* const limits = thread.least.data() + column + from;
        if (!any_reaches(tests, tested, limits, scale, shift)) continue;
        for (int64_t i = 0; i < std::min(tests, count - column - from); ++i) {
          if (tested[i] * scale - shift < limits[i]) continue;
          const int64_t q = column + from + i;
          const float* const query = queries.rows[static_cast<size_t>(q)];
          const double value = value_of(metric_, {query, static_cast<size_t>(width)}, block + r * width);
          double& limit = thread.limits[static_cast<size_t>(q)];
          limit = report(q, first + r, value, number);
          limits[i] = rounded_down(least(q, limit, longest));
        }
      }
    }
  }
}

}  // namespace bert::search
