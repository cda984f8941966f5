// What has become of the records of a run's FILEs since they were listed, by their fingerprints
// (io/record_index.h).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace bert::examples {

struct RecordChanges {
  int64_t changed = 0, removed = 0, added = 0;
  // Whether each record that is still there has its place: then the order of the run need not change.
  bool in_place = true;

  bool any() const { return changed + removed + added > 0 || !in_place; }
  std::string text() const;  // "2 records changed, 1 removed, 3 added", or "records moved"
};

// A record that went and another that came count as one changed.
RecordChanges compare_records(std::span<const uint64_t> before, std::span<const uint64_t> now);

// For each record now, whether it is one of those before for which `had` is true. Equal records are told
// apart by their number only.
std::vector<bool> still_had(std::span<const uint64_t> before, const std::vector<bool>& had,
                            std::span<const uint64_t> now);

}  // namespace bert::examples
