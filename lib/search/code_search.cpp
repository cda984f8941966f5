#include "search/code_search.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <utility>

#include "base/error.h"
#include "base/file.h"
#include "base/option.h"
#include "base/output_file.h"
#include "heads/vector_model.h"
#include "nn/products.h"

namespace bert::search {
namespace {

constexpr int64_t kMostQueries = 1024;    // at a time; more would not be faster
constexpr int64_t kMostListed = 8 << 20;  // of all queries and threads at a time, 8 bytes each
constexpr int64_t kColumns = 256;         // queries of one product, so that its result fits in the cache
constexpr int64_t kTested = 64;           // most scores that are tested together
constexpr int64_t kFew = 4;               // queries that are not worth a product

// Whether one of n scores is not below its least one; NaN is not.
template <class Score>
bool any_reaches(int64_t n, const float* least, Score score) {
  int reaches = 0;
  for (int64_t q = 0; q < n; ++q) reaches |= !(score(q) < least[q]);
  return reaches != 0;
}

}  // namespace

// The best `count` rows seen, equal ones by row. They are kept as integers, larger for better ones, and
// sorted out when there are twice as many.
class CodeSearch::Shortlist {
 public:
  explicit Shortlist(size_t count) : count_(count) {}

  // Returns the score that a row must reach to be added.
  float add(float score, int64_t row) {
    const uint64_t key =
        static_cast<uint64_t>(ordered(score)) << 32 | (UINT32_MAX - static_cast<uint32_t>(row));
    if (key > least_) keys_.push_back(key);
    if (keys_.size() == 2 * count_) shorten();
    return limit_;
  }

  void add(const Shortlist& other) { keys_.insert(keys_.end(), other.keys_.begin(), other.keys_.end()); }

  // The rows, in their order.
  std::vector<int64_t> rows() && {
    if (keys_.size() > count_) shorten();
    std::vector<int64_t> rows;
    rows.reserve(keys_.size());
    for (const uint64_t key : keys_) rows.push_back(UINT32_MAX - static_cast<uint32_t>(key));
    std::ranges::sort(rows);
    return rows;
  }

 private:
  // In the order of the numbers, NaN before all.
  static uint32_t ordered(float score) {
    const auto bits = std::bit_cast<uint32_t>(std::isnan(score) ? -INFINITY : score);
    return bits >> 31 != 0 ? ~bits : bits | 0x80000000;
  }

  void shorten() {
    std::ranges::nth_element(keys_, keys_.begin() + count_ - 1, std::greater());
    keys_.resize(count_);
    least_ = keys_.back();
    const auto bits = static_cast<uint32_t>(least_ >> 32);
    limit_ = std::bit_cast<float>(bits >> 31 != 0 ? bits & 0x7fffffff : ~bits);
  }

  size_t count_;
  std::vector<uint64_t> keys_;
  uint64_t least_ = 0;
  float limit_ = -INFINITY;
};

// A row of a query's shortlist, and its place there.
struct CodeSearch::Listed {
  int64_t row;
  size_t query, place;
};

struct CodeSearch::Thread {
  std::vector<uint8_t> codes;
  std::vector<int32_t> sums = std::vector<int32_t>(kBlock * kColumns);
  std::vector<Shortlist> best;  // for each query
  std::vector<float> least;     // for each query, its score on this thread
  nn::Memory row;
};

CodeSearch::CodeSearch(const Vectors& vectors, const std::vector<int64_t>* rows, Metric metric,
                       const CodeOptions& options, Pool& pool, Log& log)
    : vectors_(vectors),
      rows_(rows),
      metric_(metric),
      pool_(pool),
      kernels_(nn::usable_kernels()),
      threads_(pool.size()) {
  if (vectors.file() == nullptr)
    throw Error(opt::codes,
                " requires an index that is an array (npy or f32); the vectors of records are in memory");
  if (vectors.rows() > UINT32_MAX) throw Error(opt::codes, " is limited to ", UINT32_MAX, " rows");
  if (kind_of(options.path) == FileKind::absent) {
    const heads::Sidecar sidecar(options.path, {.model = options.model, .width = vectors.width()});
    sidecar.remove_old();
    OutputFile file(options.path);
    log.warn(options.path + ": making the codes of " + counted(vectors.rows(), "row", "rows"));
    Codes::write(file, vectors, options.kind.value_or(Codes::Kind::int8), pool);
    if (!options.model.empty()) sidecar.write();
  }
  codes_.emplace(options.path);
  codes_->require_of(vectors, options.kind);
  candidates_ = options.candidates.value_or(codes_->most() == 1 ? kBitCandidates : kByteCandidates);
  by_norms_ = !codes_->norms().empty() && metric != Metric::cosine;
  if (rows == nullptr) return;
  searched_.resize(vectors.rows());
  for (const int64_t row : *rows) searched_[row] = true;
}

CodeSearch::~CodeSearch() = default;

std::vector<std::vector<Neighbor>> CodeSearch::nearest(std::span<const float* const> queries, Wanted wanted) {
  const int64_t rows = rows_ != nullptr ? std::ssize(*rows_) : vectors_.rows();
  const int64_t candidates = std::min(rows, std::max(wanted.count, candidates_));
  std::vector<std::vector<Neighbor>> results(queries.size());
  if (candidates == 0) return results;
  const size_t step = std::clamp<int64_t>(kMostListed / (2 * candidates * pool_.size()), 1, kMostQueries);
  for (size_t begin = 0; begin < queries.size(); begin += step) {
    const size_t size = std::min(step, queries.size() - begin);
    search(queries.subspan(begin, size), wanted, candidates, std::span(results).subspan(begin, size));
  }
  codes_->file().require_unchanged();
  return results;
}

void CodeSearch::search(std::span<const float* const> queries, Wanted wanted, int64_t candidates,
                        Neighbors results) {
  prepare(queries);
  for (Thread& thread : threads_) {
    thread.best.assign(count_, Shortlist(candidates));
    thread.least.assign(count_, -INFINITY);
  }
  pool_.run_grid(vectors_.blocks(), [&](int64_t b, int thread) { scan(b, threads_[thread]); });
  std::vector<std::vector<int64_t>> rows(count_);
  std::vector<std::vector<double>> values(count_);
  pool_.run_grid(count_, [&](int64_t q, int) {
    auto& best = threads_.front().best[q];
    for (const Thread& other : std::span(threads_).subspan(1)) best.add(other.best[q]);
    rows[q] = std::move(best).rows();
    values[q].resize(rows[q].size());
  });
  auto blocks = listed(rows);
  pool_.run_grid(std::ssize(blocks), [&](int64_t b, int thread) {
    if (blocks[b].empty()) return;
    score(queries, blocks[b], values, threads_[thread].row);
    vectors_.release(b);
  });
  pool_.run_grid(count_, [&](int64_t q, int) { results[q] = best(rows[q], values[q], wanted); });
}

void CodeSearch::prepare(std::span<const float* const> queries) {
  count_ = std::ssize(queries);
  weights_.assign(count_ * codes_->depth(), 0);
  squares_.assign(count_, 0);
  offsets_.assign(count_, 0);
  inverses_.assign(count_, 0);
  pool_.run_grid(count_, [&](int64_t q, int) {
    prepare(q, {queries[q], static_cast<size_t>(vectors_.width())});
  });
}

void CodeSearch::prepare(int64_t query, std::span<const float> numbers) {
  squares_[query] = square_of(numbers);
  const auto low = codes_->low(), step = codes_->step();
  const int most = std::min(INT8_MAX, INT16_MAX / 2 / codes_->most());
  double largest = 0, base = 0;
  for (size_t d = 0; d < numbers.size(); ++d) {
    largest = std::max(largest, std::abs(static_cast<double>(numbers[d]) * step[d]));
    base += static_cast<double>(numbers[d]) * low[d];
  }
  const double inverse = largest > 0 ? most / largest : 1;
  int8_t* const weights = weights_.data() + query * codes_->depth();
  for (size_t d = 0; d < numbers.size(); ++d)
    weights[d] = static_cast<int8_t>(std::lrint(static_cast<double>(numbers[d]) * step[d] * inverse));
  if (!by_norms_) return;
  offsets_[query] = static_cast<float>(base * inverse);
  inverses_[query] = inverse;
}

// Sums for rows of a block and queries [column, column + columns) to the thread's. For few queries they are
// computed one by one, since memory limits the speed.
void CodeSearch::multiply(const uint8_t* codes, int64_t rows, int64_t column, int64_t columns,
                          Thread& thread) const {
  const int64_t depth = codes_->depth();
  const int8_t* const weights = weights_.data() + column * depth;
  if (columns > kFew)
    return nn::multiply_bytes(rows, columns, depth, codes, weights, depth, thread.sums.data());
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t q = 0; q < columns; ++q)
      thread.sums[r * columns + q] = kernels_.dot_bytes(depth, codes + r * depth, weights + q * depth);
  }
}

void CodeSearch::scan(int64_t b, Thread& thread) const {
  const int64_t first = b * kBlock, rows = std::min(kBlock, vectors_.rows() - first);
  const uint8_t* const codes = codes_->block(b, thread.codes);
  for (int64_t column = 0; column < count_; column += kColumns) {
    const int64_t columns = std::min(kColumns, count_ - column);
    multiply(codes, rows, column, columns, thread);
    for (int64_t r = 0; r < rows; ++r) {
      const int64_t row = first + r;
      if (!searched_.empty() && !searched_[row]) continue;
      const int32_t* const sums = thread.sums.data() + r * columns;
      if (!by_norms_) {
        select(row, column, columns, thread, [&](int64_t q) { return sums[q]; });
        continue;
      }
      const float norm = codes_->norms()[row], shift = metric_ == Metric::l2 ? norm * norm / 2 : 0;
      select(row, column, columns, thread,
             [&, offsets = &offsets_[column], inverses = &inverses_[column]](int64_t q) {
               return norm * (sums[q] + offsets[q]) - shift * inverses[q];
             });
    }
  }
}

// Adds a row to the shortlists of queries [column, column + columns) whose limits its scores reach.
template <class Score>
void CodeSearch::select(int64_t row, int64_t column, int64_t columns, Thread& thread, Score score) {
  for (int64_t from = 0; from < columns; from += kTested) {
    const int64_t tests = std::min(kTested, columns - from);
    float* const least = thread.least.data() + column;
    if (!any_reaches(tests, least + from, [&](int64_t q) { return score(from + q); })) continue;
    for (int64_t q = from; q < from + tests; ++q)
      if (!(score(q) < least[q])) least[q] = thread.best[column + q].add(score(q), row);
  }
}

// The rows of all shortlists, by their blocks.
std::vector<std::vector<CodeSearch::Listed>> CodeSearch::listed(
    std::span<const std::vector<int64_t>> rows) const {
  std::vector<std::vector<Listed>> blocks(vectors_.blocks());
  for (size_t q = 0; q < rows.size(); ++q) {
    for (size_t i = 0; i < rows[q].size(); ++i)
      blocks[rows[q][i] / kBlock].push_back({.row = rows[q][i], .query = q, .place = i});
  }
  return blocks;
}

// The exact values of rows of a block.
void CodeSearch::score(std::span<const float* const> queries, std::vector<Listed>& listed,
                       std::vector<std::vector<double>>& values, nn::Memory& scratch) const {
  std::ranges::sort(listed, {}, &Listed::row);
  const auto width = static_cast<size_t>(vectors_.width());
  const float* numbers = nullptr;
  double square = 0;
  for (int64_t before = -1; const auto& [row, query, place] : listed) {
    if (row != before) numbers = vectors_.row(row, scratch);
    if (row != before && metric_ == Metric::cosine) square = square_of({numbers, width});
    before = row;
    values[query][place] = value_of(metric_, {queries[query], width}, numbers, squares_[query] * square);
  }
}

std::vector<Neighbor> CodeSearch::best(std::span<const int64_t> rows, std::span<const double> values,
                                       Wanted wanted) const {
  Best best(wanted.count);
  for (size_t i = 0; i < rows.size(); ++i) {
    if (values[i] < wanted.least) continue;
    const int64_t place =
        rows_ != nullptr ? std::ranges::lower_bound(*rows_, rows[i]) - rows_->begin() : rows[i];
    best.add({.row = place, .value = values[i]});
  }
  return std::move(best).sorted();
}

}  // namespace bert::search
