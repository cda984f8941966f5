// Approximate search with codes of the vectors: all rows are compared with each query by their codes, and the
// best ones once more by their numbers, which are read from the vectors' file block by block.
//
// For a query q and a row of direction u and norm n, both about as in codes.h,
//
//   q·x = n·Σ_d q_d·(low_d + step_d·c_d) = n·scale·(offset + Σ_d w_d·c_d)
//
// with integers w_d near q_d·step_d / scale. The sum is one of bytes, whose pairs of products fit into 16
// bits, so that it is exact on all processors. For sign this keeps the sizes of the query's numbers, other
// than comparing bits with bits, and finds far more of the neighbors.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/pool.h"
#include "nn/kernels/kernels.h"
#include "search/codes.h"
#include "search/nearest.h"
#include "search/scan.h"
#include "search/vectors.h"

namespace bert::search {

// Enough to find 99 of 100 neighbors among 100,000 sentences, by bytes and by bits.
constexpr int64_t kByteCandidates = 50, kBitCandidates = 200;

struct CodeOptions {
  std::string path;  // the codes are read from this file, or made and written to it if there is none
  std::optional<Codes::Kind> kind;    // default: int8 if they are made, otherwise that of the file
  std::optional<int64_t> candidates;  // default: kByteCandidates or kBitCandidates
  std::string model = {};             // of the vectors, which the sidecar of codes that are made has
};

class CodeSearch final : public Search {
 public:
  // References must outlive this object. Unless `rows` is nullptr, only these are searched, and neighbors
  // have their places in it. Throws Error if the vectors are not in a file, if that of the codes is not
  // theirs, or cannot be written.
  CodeSearch(const Vectors& vectors, const std::vector<int64_t>* rows, Metric metric,
             const CodeOptions& options, Pool& pool, Log& log);
  ~CodeSearch() override;

  // The best of at least the candidates that are the best by their codes, by their exact values.
  std::vector<std::vector<Neighbor>> nearest(std::span<const float* const> queries, Wanted wanted) override;

 private:
  class Shortlist;
  struct Thread;
  struct Listed;
  using Neighbors = std::span<std::vector<Neighbor>>;

  void search(std::span<const float* const> queries, Wanted wanted, int64_t candidates, Neighbors results);
  void prepare(std::span<const float* const> queries);
  void prepare(int64_t query, std::span<const float> numbers);
  void scan(int64_t b, Thread& thread) const;
  void multiply(const uint8_t* codes, int64_t rows, int64_t column, int64_t columns, Thread& thread) const;
  template <class Score>
  static void select(int64_t row, int64_t column, int64_t columns, Thread& thread, Score score);
  void score(std::span<const float* const> queries, std::vector<Listed>& listed,
             std::vector<std::vector<double>>& values, nn::Memory& scratch) const;
  std::vector<std::vector<Listed>> listed(std::span<const std::vector<int64_t>> rows) const;
  std::vector<Neighbor> best(std::span<const int64_t> rows, std::span<const double> values,
                             Wanted wanted) const;

  const Vectors& vectors_;
  const std::vector<int64_t>* const rows_;
  const Metric metric_;
  int64_t candidates_ = 0;
  Pool& pool_;
  const nn::Kernels& kernels_;
  std::optional<Codes> codes_;
  bool by_norms_ = false;       // scores depend on them
  std::vector<bool> searched_;  // for each row; empty: all are

  // What is computed of the queries:
  int64_t count_ = 0;
  std::vector<int8_t> weights_;            // [count, depth of the codes]
  std::vector<double> squares_;            // |q|²
  std::vector<float> offsets_, inverses_;  // see scan: offset, 1/scale
  std::vector<Thread> threads_;
};

}  // namespace bert::search
