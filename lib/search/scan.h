// Finds candidates among the rows of Vectors for a batch of queries, by products in f32. Candidates are then
// scored in f64, so f32 decides nothing: a row that could reach a query's limit by its exact score is always
// a candidate.
//
// The exact value of a row x for a query q is
//
//   cosine  x·q / (|x||q|), 0 if a norm is 0     dot  x·q     l2  -|x - q|²
//
// so larger is better. In f32 the sum of n products differs from the exact one by at most γ·|x||q|, γ =
// nε/(1-nε) with ε = 2^-24, whatever the order of additions (Higham 2002, Accuracy and Stability of Numerical
// Algorithms, section 3.1), plus n·2^-126 where products underflow.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/pool.h"
#include "nn/context.h"
#include "nn/tensor.h"
#include "search/vectors.h"

namespace bert::search {

enum class Metric { cosine, dot, l2 };
constexpr std::pair<std::string_view, Metric> kMetricNames[] = {
    {"cosine", Metric::cosine}, {"dot", Metric::dot}, {"l2", Metric::l2}};
std::string_view name_of(Metric metric);

// The exact value, by the same operations for any order of rows. `x` has as many numbers as `q`.
double value_of(Metric metric, std::span<const float> q, const float* x);
// The same if the product of |q|² and |x|² is known, which only the cosine needs.
double value_of(Metric metric, std::span<const float> q, const float* x, double squares);
double square_of(std::span<const float> x);  // |x|²

class Scan {
 public:
  // References must outlive this object.
  Scan(const Vectors& vectors, Metric metric, Pool& pool);
  ~Scan();

  // Called with each candidate; returns the query's new limit, for this thread: rows with a lower value need
  // not be reported to it. Rows of one thread are not in any order.
  using Report = std::function<double(int64_t query, int64_t row, double value, int thread)>;

  struct Queries {
    std::span<const float* const> rows;  // of width() numbers each
    std::span<const double> limits;      // for each query at the start
  };

  // Scores the rows of blocks [begin, end) for all queries, on all threads of the pool. Vectors without norms
  // are measured when they are scored for the first time, so that a file is read once; throws Error then if a
  // number is not finite.
  void run(const Queries& queries, int64_t begin, int64_t end, const Report& report);

  // Before calls of nearest(). The queries must stay until the last one.
  void prepare(std::span<const float* const> queries);

  struct Nearest {
    int32_t query = 0;
    float score = -INFINITY;  // the highest one in f32 of any query
    double value = NAN;       // of `query`, if it had to be computed
  };

  // For each row of a block, the query with the largest exact value, the first of equal ones. `block` is that
  // of vectors. Valid until the thread's next call. Threads of the pool may call it at the same time.
  std::span<const Nearest> nearest(int64_t b, const float* block, int thread);

 private:
  struct Thread;
  void scan_block(int64_t b, Thread& thread, int number, const Report& report);
  std::span<const float> norms_of(int64_t b, const float* block, Thread& thread);
  void compare(int64_t row, const float* numbers, int64_t column, std::span<const float> scores,
               Nearest& nearest) const;
  void transpose();
  void multiply(const float* block, int64_t rows, int64_t column, int64_t columns, Thread& thread) const;
  double error(double row_norm, double query_norm) const;
  double least(int64_t query, double limit, double longest) const;
  double value(int64_t query, const float* row) const;
  int64_t count() const { return std::ssize(queries_); }

  const Vectors& vectors_;
  const int64_t width_;
  const Metric metric_;
  Pool& pool_;
  const nn::Kernels& kernels_;
  std::span<const float* const> queries_;
  std::vector<float> units_;  // the queries one after another; of unit length for cosine
  nn::Memory columns_;        // the same as columns, [width, stride]
  int64_t stride_ = 0;
  std::vector<double> query_norms_;
  double longest_ = 0;         // norm of a query in units_
  std::vector<float> shifts_;  // for each query: |q|²/2 for l2, else 0
  std::vector<Thread> threads_;
  std::vector<float> norms_;       // of vectors that have none
  std::vector<uint8_t> measured_;  // whether norms_ has those of the block
};

}  // namespace bert::search
