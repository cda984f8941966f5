#include "examples/record_changes.h"

#include <algorithm>

#include "base/error.h"

namespace bert::examples {
namespace {

// The number of equal pairs. Both are sorted.
int64_t common(std::vector<uint64_t>& a, std::vector<uint64_t>& b) {
  std::ranges::sort(a);
  std::ranges::sort(b);
  int64_t count = 0;
  for (auto i = a.begin(), k = b.begin(); i != a.end() && k != b.end();) {
    count += *i == *k;
    const bool next = *i <= *k;
    if (*k <= *i) ++k;
    if (next) ++i;
  }
  return count;
}

}  // namespace

std::string RecordChanges::text() const {
  std::string list;
  const auto add = [&](int64_t count, const char* verb) {
    if (count == 0) return;
    list += list.empty() ? counted(count, "record", "records") : ", " + std::to_string(count);
    list.append(" ").append(verb);
  };
  add(changed, "changed");
  add(removed, "removed");
  add(added, "added");
  return list.empty() ? "records moved" : list;
}

RecordChanges compare_records(std::span<const uint64_t> before, std::span<const uint64_t> now) {
  const bool same_size = before.size() == now.size();
  std::vector<uint64_t> old, present;  // without those that are equal at the same place
  for (size_t i = 0; i < before.size(); ++i)
    if (!same_size || before[i] != now[i]) old.push_back(before[i]);
  for (size_t i = 0; i < now.size(); ++i)
    if (!same_size || before[i] != now[i]) present.push_back(now[i]);
  const int64_t kept = common(old, present);
  const int64_t gone = std::ssize(old) - kept, come = std::ssize(present) - kept;
  const int64_t changed = std::min(gone, come);
  return {.changed = changed,
          .removed = gone - changed,
          .added = come - changed,
          .in_place = same_size && kept == 0};
}

std::vector<bool> still_had(std::span<const uint64_t> before, const std::vector<bool>& had,
                            std::span<const uint64_t> now) {
  std::vector<uint64_t> sorted;
  for (size_t i = 0; i < before.size(); ++i)
    if (had[i]) sorted.push_back(before[i]);
  std::ranges::sort(sorted);
  std::vector<uint32_t> taken(sorted.size());  // at the first of equal ones: how many of them
  std::vector<bool> result(now.size());
  for (size_t i = 0; i < now.size(); ++i) {
    const size_t first = std::ranges::lower_bound(sorted, now[i]) - sorted.begin();
    if (first == sorted.size()) continue;
    const size_t next = first + taken[first];
    if (next == sorted.size() || sorted[next] != now[i]) continue;
    ++taken[first];
    result[i] = true;
  }
  return result;
}

}  // namespace bert::examples
