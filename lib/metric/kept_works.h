// Compared records that are kept, so that some of them can be scored again.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/string_table.h"
#include "io/record.h"
#include "metric/scorer.h"

namespace bert::metric {

class KeptWorks {
 public:
  // `group`: nullopt if it is in none.
  void add(std::unique_ptr<io::Work> work, std::optional<std::string_view> group = {});

  size_t size() const { return works_.size(); }
  io::Work& at(size_t i) const { return *works_[i]; }
  std::vector<std::string> groups() const;  // sorted by sort_labels()
  std::vector<uint32_t> all() const;        // numbers of works, in order
  std::vector<uint32_t> of(std::string_view group) const;

 private:
  static constexpr uint32_t kNoGroup = -1;

  std::vector<std::unique_ptr<io::Work>> works_;
  StringTable groups_;
  std::vector<uint32_t> group_of_;  // of each work
};

// A scorer of these works, which may occur several times. `settled`: Scorer::settled() of that of all. Any
// thread may call it.
std::unique_ptr<Scorer> score_again(const ScoreOptions& settled, const KeptWorks& works,
                                    std::span<const uint32_t> chosen);

}  // namespace bert::metric
