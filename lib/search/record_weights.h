// The weights of the tokens of a query: its field `sparse`, or those that a SparseEncoder gives its text.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "base/pool.h"
#include "heads/vector_model.h"
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

// How texts get weights: as they become vectors, but by this model, and as one sequence each.
TextOptions to_weigh(TextOptions options, std::function<model::Directory()> open_model);

// How the models of weights differ apart from prompts; nullopt if they can be compared, or if nothing is
// known of one of them.
std::optional<heads::ModelDifference> difference_of_weights(std::string_view model, std::string_view other);
// "model a (…), x.jsonl has b (…)"; `whose`: "x.jsonl has".
std::string described(const heads::ModelDifference& difference, const std::string& whose);

class RecordWeights {
 public:
  // With open_model, weights are made with this model where a query has none, or with prefer_text; Error if
  // it is no SparseEncoder. Otherwise a query without weights is an Error. References must outlive this
  // object.
  RecordWeights(const TextOptions& options, Pool& pool, Log& log);
  ~RecordWeights();

  // The weights to search are those of this model, see difference_of_weights; otherwise nothing is compared.
  // Throws Error with the `remedy` if texts have others, or an option that helps.
  void require_model(std::string_view model, std::string whose, const std::string& remedy);

  void prepare(const io::Fields& fields, WithWeights& query) const;
  void compute(std::span<WithWeights* const> queries);
  void report_truncated(int64_t records) const;  // of texts

 private:
  struct TextModel;

  const bool prefer_text_;
  std::string required_, whose_;
  std::unique_ptr<TextModel> model_;  // nullptr: texts are not weighed
};

}  // namespace bert::search
