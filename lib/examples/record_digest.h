// Records with the same input, found by 16 bytes that are kept of each record when it is checked.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "examples/example.h"

namespace bert::examples {

struct RecordDigest {
  uint64_t input = 0;   // hash of the tokens, as the model gets them; 0: the record is bad or has no example
  uint32_t label = 0;   // hash of the gold label; 0: unknown
  uint32_t tokens = 0;  // of all its examples
};
static_assert(sizeof(RecordDigest) == 16);

// `examples`: all those of one record.
RecordDigest digest_of(const Examples& examples);

// A record and an earlier one, or one of the training records, by their indices.
struct SameInput {
  int64_t record, earlier;
};

struct Repeats {
  static constexpr size_t kShown = 5;

  int64_t duplicates = 0;                  // records whose input an earlier record has
  int64_t conflicting = 0;                 // records whose input a record with another label has
  std::vector<SameInput> first;            // duplicates, at most kShown; so are those below
  std::vector<SameInput> first_conflicts;  // the earlier record has another label
};
Repeats find_repeats(std::span<const RecordDigest> records);

struct Overlap {
  int64_t records = 0;
  std::vector<SameInput> first;
};
// The records of a dev set whose input is also in `train`.
Overlap find_overlap(std::span<const RecordDigest> dev, std::span<const RecordDigest> train);

}  // namespace bert::examples
