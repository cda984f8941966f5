#include "search/scan.h"

#include <algorithm>
#include <cmath>

#include "nn/blocks.h"
#include "nn/dot.h"
#include "nn/products.h"

namespace bert::search {
namespace {

static_assert(kBlock % nn::kBlockRows == 0);

constexpr int64_t kQueries = 256;  // queries of one product, so that its result fits in the cache
constexpr int64_t kTested = 64;    // most scores that are tested together; divides kQueries
constexpr int64_t kFew = 4;        // queries that are not worth a product

// Norms between these bounds neither overflow nor underflow in a product with a vector of unit length.
constexpr float kShortest = 1e-25f, kLongest = 1e37f;

// Whether one of n scores is not below its least one; NaN is not. n is a multiple of 16.
bool any_reaches(int64_t n, const float* scores, const float* least, float scale, float shift) {
  int reaches = 0;
  for (int64_t q = 0; q < n; ++q) reaches |= !(scores[q] * scale - shift < least[q]);
  return reaches != 0;
}

float rounded_down(double value) { return std::nextafter(static_cast<float>(value), -INFINITY); }

}  // namespace

std::string_view name_of(Metric metric) {
  return std::ranges::find(kMetricNames, metric, &std::pair<std::string_view, Metric>::second)->first;
}

double square_of(std::span<const float> x) { return nn::dot(x, x.data()); }

double value_of(Metric metric, std::span<const float> q, const float* x) {
  return value_of(metric, q, x, metric == Metric::cosine ? square_of(q) * square_of({x, q.size()}) : 0);
}

double value_of(Metric metric, std::span<const float> q, const float* x, double squares) {
  if (metric == Metric::l2) return -nn::squared_distance(q, x);
  const double product = nn::dot(q, x);
  if (metric == Metric::dot) return product;
  return squares > 0 ? product / std::sqrt(squares) : 0;
}

struct Scan::Thread {
  nn::Memory block, scores;      // scores: [kBlock, kQueries]
  std::vector<double> limits;    // for each query, on this thread
  std::vector<float> least;      // for each query, for scores in f32 of the current block
  std::vector<Nearest> nearest;  // for each row of the current block
  int64_t bad = INT64_MAX;       // the first row with a number that is not finite
};

Scan::Scan(const Vectors& vectors, Metric metric, Pool& pool)
    : vectors_(vectors),
      width_(vectors.width()),
      metric_(metric),
      pool_(pool),
      kernels_(nn::usable_kernels()),
      threads_(pool.size()) {
  if (!vectors.norms().empty()) return;
  norms_.resize(vectors.rows());
  measured_.resize(vectors.blocks());
}

Scan::~Scan() = default;

void Scan::prepare(std::span<const float* const> queries) {
  queries_ = queries;
  stride_ = nn::round_up(count(), count() > kTested / 2 ? kTested : nn::kBlockColumns);
  units_.resize(count() * width_);
  query_norms_.resize(count());
  shifts_.resize(count());
  pool_.run_grid(count(), [&](int64_t q, int) {
    const std::span from(queries[q], width_);
    const double square = nn::dot(from, from.data()), norm = std::sqrt(square);
    query_norms_[q] = norm;
    shifts_[q] = metric_ == Metric::l2 ? static_cast<float>(square / 2) : 0;
    const double divisor = metric_ == Metric::cosine && norm > 0 ? norm : 1;
    std::ranges::transform(from, units_.begin() + q * width_,
                           [&](float x) { return static_cast<float>(x / divisor); });
  });
  longest_ = metric_ == Metric::cosine ? 1 : std::ranges::max(query_norms_);
  if (count() > kFew) transpose();
}

// By blocks of columns, so that lines of the cache are written whole.
void Scan::transpose() {
  const size_t floats = width_ * stride_;
  if (columns_.size() < floats) columns_ = nn::Memory(floats);
  pool_.run_grid(stride_ / nn::kBlockColumns, [&](int64_t part, int) {
    const int64_t begin = part * nn::kBlockColumns, end = begin + nn::kBlockColumns;
    for (int64_t i = 0; i < width_; ++i) {
      for (int64_t q = begin; q < end; ++q)
        columns_.data()[i * stride_ + q] = q < count() ? units_[q * width_ + i] : 0;
    }
  });
}

// Products of rows of a block and queries [column, column + columns) to the thread's scores, kQueries apart.
// For few queries they are computed one by one, since memory limits the speed.
void Scan::multiply(const float* block, int64_t rows, int64_t column, int64_t columns, Thread& thread) const {
  if (thread.scores.size() == 0) thread.scores = nn::Memory(kBlock * kQueries);
  float* const scores = thread.scores.data();
  const int64_t queries = count(), width = width_;
  if (queries > kFew) {
    nn::multiply(kernels_, {.rows = rows,
                            .cols = columns,
                            .depth = width_,
                            .a = {.numbers = block, .stride = width_},
                            .b = {.numbers = columns_.data() + column, .stride = stride_},
                            .c = scores,
                            .c_stride = kQueries,
                            .room = true});
    return;
  }
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t q = 0; q < queries; ++q)
      scores[r * kQueries + q] = kernels_.dot(width, units_.data() + q * width, block + r * width);
  }
}

double Scan::value(int64_t query, const float* row) const {
  return value_of(metric_, std::span(queries_[query], width_), row);
}

// The largest error of a score in f32; infinity if it may overflow. Scores are x·q, for l2 less |x|²/2 or
// |q|²/2.
double Scan::error(double row_norm, double query_norm) const {
  constexpr double kEpsilon = 0x1p-24, kUnderflow = 0x1p-126;
  const double n = width_ + 16.0;  // for the roundings other than those of the sum
  const double size = row_norm * query_norm, squares = row_norm * row_norm + query_norm * query_norm;
  const bool is_l2 = metric_ == Metric::l2;
  if (!(size < kLongest) || (is_l2 && !(squares < kLongest))) return INFINITY;
  return 1.01 * n * kEpsilon * size + n * kUnderflow + (is_l2 ? 8 * kEpsilon * squares : 0);
}

// The least score in f32, as any_reaches computes it, of a row whose exact value reaches `limit`. `longest`:
// the largest norm of a row. Scores are x·q / |x| for cosine, x·q for dot, x·q - |x|²/2 for l2.
double Scan::least(int64_t query, double limit, double longest) const {
  if (metric_ == Metric::cosine) return limit - error(kShortest, 1) / kShortest;
  const double query_norm = query_norms_[query], slack = error(longest, query_norm);
  if (metric_ == Metric::dot) return limit - slack;
  return (query_norm * query_norm + limit) / 2 - slack;
}

void Scan::run(const Queries& queries, int64_t begin, int64_t end, const Report& report) {
  if (queries.rows.empty() || begin >= end) return;
  prepare(queries.rows);
  for (Thread& thread : threads_) thread.limits.assign(queries.limits.begin(), queries.limits.end());
  pool_.run_grid(end - begin,
                 [&](int64_t i, int thread) { scan_block(begin + i, threads_[thread], thread, report); });
  if (const int64_t bad = std::ranges::min_element(threads_, {}, &Thread::bad)->bad; bad < vectors_.rows())
    vectors_.refuse(bad);
}

std::span<const float> Scan::norms_of(int64_t b, const float* block, Thread& thread) {
  const int64_t first = b * kBlock, rows = std::min(kBlock, vectors_.rows() - first);
  if (!vectors_.norms().empty()) return vectors_.norms().subspan(first, rows);
  if (measured_[b] == 0) {
    thread.bad = std::min(thread.bad, vectors_.measure(b, block, norms_));
    measured_[b] = 1;
  }
  return std::span(norms_).subspan(first, rows);
}

void Scan::scan_block(int64_t b, Thread& thread, int number, const Report& report) {
  const int64_t first = b * kBlock, rows = std::min(kBlock, vectors_.rows() - first);
  const float* const block = vectors_.block(b, thread.block);
  const auto norms = norms_of(b, block, thread);
  const double longest = *std::ranges::max_element(norms);

  thread.least.assign(stride_, INFINITY);  // for columns that are no queries
  for (int64_t q = 0; q < count(); ++q) thread.least[q] = rounded_down(least(q, thread.limits[q], longest));

  for (int64_t column = 0; column < stride_; column += kQueries) {
    const int64_t columns = std::min(kQueries, stride_ - column);
    multiply(block, rows, column, columns, thread);
    for (int64_t r = 0; r < rows; ++r) {
      const float norm = norms[r];
      float scale = 1, shift = 0;
      if (metric_ == Metric::cosine) scale = norm > kShortest && norm < kLongest ? 1 / norm : NAN;
      if (metric_ == Metric::l2) shift = norm * norm / 2;
      for (int64_t from = 0; from < columns; from += kTested) {
        const int64_t tests = std::min(kTested, columns - from);
        const float* const tested = thread.scores.data() + r * kQueries + from;
        float* const limits = thread.least.data() + column + from;
        if (!any_reaches(tests, tested, limits, scale, shift)) continue;
        for (int64_t i = 0; i < std::min(tests, count() - column - from); ++i) {
          if (tested[i] * scale - shift < limits[i]) continue;
          const int64_t q = column + from + i;
          double& limit = thread.limits[q];
          limit = report(q, first + r, value(q, block + r * width_), number);
          limits[i] = rounded_down(least(q, limit, longest));
        }
      }
    }
  }
}

std::span<const Scan::Nearest> Scan::nearest(int64_t b, const float* block, int number) {
  Thread& thread = threads_[number];
  const int64_t first = b * kBlock, rows = std::min(kBlock, vectors_.rows() - first);
  thread.nearest.assign(rows, {});
  for (int64_t column = 0; column < count(); column += kQueries) {
    const int64_t columns = std::min(kQueries, count() - column);
    multiply(block, rows, column, columns, thread);
    for (int64_t r = 0; r < rows; ++r)
      compare(first + r, block + r * width_, column, std::span(thread.scores.data() + r * kQueries, columns),
              thread.nearest[r]);
  }
  return thread.nearest;
}

// Continues with queries from `column` on, which have these scores. A score that is higher than all before by
// more than both errors has a larger value; within the errors, exact values decide.
void Scan::compare(int64_t row, const float* numbers, int64_t column, std::span<const float> scores,
                   Nearest& nearest) const {
  const auto slack = static_cast<float>(2 * error(vectors_.norms()[row], longest_));
  float limit = nearest.score - slack;
  for (const float product : scores) {
    const int64_t q = column++;
    const float score = product - shifts_[q];
    if (score < limit) continue;  // NaN is not
    if (score > nearest.score + slack) {
      nearest.query = q;
      nearest.value = NAN;
    } else {
      if (std::isnan(nearest.value)) nearest.value = value(nearest.query, numbers);
      const double other = value(q, numbers);
      if (other > nearest.value) nearest = {static_cast<int32_t>(q), nearest.score, other};
    }
    if (!(score > nearest.score)) continue;
    nearest.score = score;
    limit = score - slack;
  }
}

}  // namespace bert::search
