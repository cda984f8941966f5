// The weights of the tokens of a query: its field `sparse`, or those that a SparseEncoder gives its text.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/log.h"
#include "base/pool.h"
#include "io/record.h"
#include "io/sparse_weights.h"
#include "search/record_vectors.h"

namespace bert::search {

// What filters keep for a query.
struct WithWeights {
  std::vector<io::TokenWeight> weights;  // of a text after compute
  std::unique_ptr<io::Work> text;        // until then
  int64_t cost = 1;                      // see io::Filter
  bool truncated = false;
};

class RecordWeights {
 public:
  enum class Texts { no, weighed };
  // With Texts::weighed, weights are made with the model of the options where a query has none, or with
  // prefer_text; Error if it is no SparseEncoder. Otherwise a query without weights is an Error. References
  // must outlive this object.
  RecordWeights(const TextOptions& options, Texts texts, Pool& pool, Log& log);
  ~RecordWeights();

  void prepare(const io::Fields& fields, WithWeights& query) const;
  void compute(std::span<WithWeights* const> queries);
  void report_truncated(int64_t records) const;  // of texts

 private:
  struct TextModel;

  const bool prefer_text_;
  std::unique_ptr<TextModel> model_;  // nullptr: texts are not weighed
};

}  // namespace bert::search
