// How high the right answers stand among candidates.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "metric/string_table.h"

namespace bert::metric {

// Mean reciprocal rank: over queries, 1 / the rank of the best relevant passage; 0 for a query without one. A
// passage that is not relevant stands before the relevant ones of equal score, so that scores which tell
// nothing apart earn nothing. Keeps 16 bytes a passage and the queries' texts.
class ReciprocalRank {
 public:
  enum class Relevant : uint8_t { no, yes };
  void add(std::string_view query, Relevant relevant, double score);

  int64_t count() const { return static_cast<int64_t>(passages_.size()); }
  int64_t queries() const { return static_cast<int64_t>(queries_.size()); }
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

// The share of examples whose right answer is among the k best candidates, for any k up to the fewest
// candidates an example had.
class TopHits {
 public:
  // `place` of the right answer among `candidates`, from 0.
  void add(std::optional<int64_t> place, int64_t candidates);

  int64_t count() const { return count_; }
  int64_t fewest() const { return fewest_; }  // candidates
  double share_of(int64_t k) const;

 private:
  std::map<int64_t, int64_t> places_;  // how often the right answer stood there
  int64_t count_ = 0, fewest_ = 0;
};

}  // namespace bert::metric
