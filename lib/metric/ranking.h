// Ranking metrics.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/string_table.h"

namespace bert::metric {

// Metrics of the ranking of a query, or their means over queries, as by trec_eval. The relevant documents of
// a query are those with a gain above 0; a query without any counts as 0. "At k" looks only at the first k
// documents.
struct RankingMeans {
  double reciprocal_rank = 0;  // 1 / rank of the best relevant document
  double average_precision =
      0;            // of the precisions at the ranks of all relevant documents; 0 for those not ranked
  double ndcg = 0;  // sum of gain / log2(rank + 1), divided by that of the best order
  double reciprocal_rank_at_k = 0, ndcg_at_k = 0, precision_at_k = 0, recall_at_k = 0;
};

RankingMeans mean_of(std::span<const RankingMeans> queries);

inline constexpr int64_t kRankTopK = 10;  // the default k

// The name of a document, empty for one without, and the line that ranks it.
struct NamedDocument {
  std::string_view name, file;
  int64_t line = 0;
};

// Documents that were ranked for queries by their scores. Of equal scores, named documents are ordered as by
// trec_eval: last name in byte order first. Others are ordered by gain, the lowest first, so that constant
// scores earn nothing. Stores 32 bytes per document and the texts of queries and names.
class Rankings {
 public:
  void add(std::string_view query, double gain, double score, const NamedDocument& named = {});
  // A relevant document that was not ranked.
  void add_missing(std::string_view query, double gain);

  int64_t count() const { return ranked_; }
  int64_t queries() const { return queries_.size(); }
  std::string_view query(size_t number) const { return queries_.at(number); }
  std::optional<uint32_t> find(std::string_view query) const { return queries_.find(query); }
  // The metrics of each query, by its number. Throws Error if a document was ranked twice for a query.
  std::vector<RankingMeans> values(int64_t k);
  RankingMeans means(int64_t k) { return mean_of(values(k)); }

 private:
  struct Document {
    double score, gain;
    uint32_t query;
    uint32_t name;  // in names_
    uint32_t line;
    uint32_t file : 31;  // in files_
    bool ranked : 1;
  };
  static_assert(sizeof(Document) == 32);
  void require_distinct(std::span<const Document> ranked) const;

  StringTable queries_, names_, files_;
  std::vector<Document> documents_;
  int64_t ranked_ = 0;
};

// Top-k accuracy: the share of examples whose gold answer is among the k best candidates, for any k up to the
// smallest number of candidates.
class TopHits {
 public:
  // `place`: rank of the gold answer among `candidates`, from 0.
  void add(std::optional<int64_t> place, int64_t candidates);

  int64_t count() const { return count_; }
  int64_t fewest() const { return fewest_; }  // smallest number of candidates
  double share_of(int64_t k) const;
  double mean_reciprocal_rank() const { return reciprocals_ / static_cast<double>(count_); }

 private:
  std::map<int64_t, int64_t> places_;  // number of examples by rank of the gold answer
  int64_t count_ = 0, fewest_ = 0;
  double reciprocals_ = 0;  // sum of 1 / rank, from 1
};

}  // namespace bert::metric
