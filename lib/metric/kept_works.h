// Compared records that are kept, so that some of them can be scored again.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/string_table.h"
#include "io/record.h"
#include "metric/scorer.h"

namespace bert::metric {

// Checksums of what tells one record from another; 0: the record does not have it.
struct RecordSums {
  uint64_t gold = 0, id = 0, text = 0;

  // What differs, of those that both have; "" if nothing.
  std::string_view difference(const RecordSums& other) const;
};

class KeptWorks {
 public:
  struct Origin {
    uint32_t place = 0;                          // of the gold label
    RecordSums sums = {};                        // of a record that has its gold label
    std::optional<std::string_view> group = {};  // the value by which records are grouped
  };
  void add(std::unique_ptr<io::Work> work, const Origin& origin);

  size_t size() const { return works_.size(); }
  std::vector<io::Work*> all() const;
  struct Group {
    std::string name;
    std::vector<io::Work*> works;
  };
  std::vector<Group> groups() const;  // sorted as by sort_labels()
  // The works of `other` at the same places, in the same order. Throws Error if it has others, or those of
  // other records.
  std::vector<io::Work*> counterparts(const KeptWorks& other, const std::string& name) const;

 private:
  static constexpr uint32_t kNoGroup = -1;
  struct Kept {
    std::unique_ptr<io::Work> work;
    uint32_t place, group;
    RecordSums sums;
  };

  std::vector<Kept> works_;
  StringTable groups_;
};

// A scorer of these works, which may occur several times. `settled`: Scorer::settled() of that of all. Any
// thread may call it.
std::unique_ptr<Scorer> score_again(const ScoreOptions& settled, std::span<io::Work* const> works);

}  // namespace bert::metric
