// Ranking metrics.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "metric/string_table.h"

namespace bert::metric {

// Mean reciprocal rank: the mean over queries of 1 / rank of the best relevant passage; 0 for a query without
// one. Among equal scores, irrelevant passages rank first, so constant scores earn nothing. Stores 16 bytes
// per passage and the texts of the queries.
class ReciprocalRank {
 public:
  enum class Relevant : uint8_t { no, yes };
  void add(std::string_view query, Relevant relevant, double score);

  int64_t count() const { return passages_.size(); }
  int64_t queries() const { return queries_.size(); }
  double value() const;

 private:
  struct Passage {
    double score;
    uint32_t query;
    Relevant relevant;
  };
  static_assert(sizeof(Passage) == 16);

  StringTable queries_;
  std::vector<Passage> passages_;
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
