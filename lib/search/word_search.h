// Search by the words of an index's records, or by weights of tokens, alone or together with vectors.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/pool.h"
#include "model/directory.h"
#include "search/index.h"
#include "search/nearest.h"
#include "search/scan.h"
#include "search/word_index.h"

namespace bert::search {

constexpr std::string_view kBm25 = "bm25";           // the field with Hit::words, see score_name()
constexpr std::string_view kJoinedScore = "hybrid";  // and with Hit::before, if both searches were joined

struct WordOptions {
  bool sparse = false;  // search by the weights of io::kSparse instead of the words
  // The model that makes those of queries without them; empty: they are required.
  std::function<model::Directory()> open_model = {};
  bool with_vectors = false;     // join the results of both searches
  std::optional<double> weight;  // of the cosine, see join_by_weight(); not given: join by ranks
  int64_t candidates = 100;      // the best ones of each search that are joined

  std::string_view score_name() const { return sparse ? io::kSparse : kBm25; }
};

// A result. Larger values are better.
struct Hit {
  int64_t row = 0;  // of the index
  double score = 0;
  double before = 0;             // the score before records were scored again, see Reranker
  double vector = 0, words = 0;  // what was joined: the vector's value, see scan.h, and that of the words
};

struct Words {
  std::unique_ptr<const WordIndex> index;
  std::string model;  // of weights
};

class WordSearch {
 public:
  // Reads the texts of the rows to search, or their weights. Throws Error if no record has the field of the
  // texts, or one has no weights, or those of another model than an earlier one. References must outlive this
  // object.
  WordSearch(const Index& index, const std::string& text_field, Metric metric, const WordOptions& options,
             Pool& pool);

  // What the weights of the rows were made with, see heads::VectorModel; "": unknown.
  const std::string& weights_model() const { return words_.model; }

  // How many of the nearest rows search() needs.
  int64_t candidates(Wanted wanted) const;

  // The rows whose texts contain the quoted parts of the query, byte for byte, then the others; each best
  // first. `nearest`: rows of Index::searched(); empty without vectors. Any thread may call it.
  std::vector<Hit> search(const WordQuery& query, std::span<const float> vector,
                          std::span<const Neighbor> nearest, Wanted wanted) const;

 private:
  struct Query;
  std::vector<int64_t> rows_with(const std::vector<std::string_view>& parts) const;
  std::vector<Hit> joined(const Query& query, std::span<const Neighbor> nearest,
                          std::span<const Neighbor> by_words) const;
  double vector_value(const Query& query, int64_t row) const;

  const Index& index_;
  const std::string text_field_;
  const Metric metric_;
  const WordOptions options_;
  const Words words_;  // by row of Index::searched()
};

}  // namespace bert::search
