// Takes a dev set out of the training records.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace bert::examples {

// A share of the records, or one of several folds.
struct SplitOptions {
  std::optional<double> share;                      // above 0 and below 1
  std::optional<std::pair<int64_t, int64_t>> fold;  // the I-th of K, from 1
  std::string group_field;  // records with the same value stay together; "": each alone

  bool any() const { return share || fold; }
};

// What decides about a record, so that the order of the records does not.
struct SplitKey {
  uint64_t content = 0;  // hash of the record, or of its group
  uint32_t label = 0;    // of a label that is divided evenly; 0: none
};

// Whether each record is in the dev set. Each label has its share of it up to one record, and so have all
// folds; those of one K are disjoint and have all records. A share has no label's only record. Groups are
// whole, and divided as evenly as one after the other allows, the largest first.
std::vector<bool> split(std::span<const SplitKey> records, const SplitOptions& options, uint64_t seed);

}  // namespace bert::examples
