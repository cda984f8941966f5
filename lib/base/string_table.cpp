#include "base/string_table.h"

#include <functional>
#include <limits>

#include "base/error.h"

namespace bert {

std::string_view StringTable::at(size_t i) const {
  const uint64_t begin = i == 0 ? 0 : ends_[i - 1];
  return std::string_view(bytes_).substr(begin, ends_[i] - begin);
}

// The slot that contains the string, or the one to insert it into.
size_t StringTable::slot_of(std::string_view text) const {
  const size_t mask = slots_.size() - 1;
  size_t slot = std::hash<std::string_view>{}(text)&mask;
  while (slots_[slot] != 0 && at(slots_[slot] - 1) != text) slot = (slot + 1) & mask;
  return slot;
}

std::optional<uint32_t> StringTable::find(std::string_view text) const {
  if (slots_.empty()) return std::nullopt;
  const uint32_t found = slots_[slot_of(text)];
  return found == 0 ? std::nullopt : std::optional(found - 1);
}

std::pair<uint32_t, bool> StringTable::add(std::string_view text) {
  if (2 * (size() + 1) > slots_.size()) grow();
  uint32_t& slot = slots_[slot_of(text)];
  if (slot != 0) return {slot - 1, false};
  if (size() >= std::numeric_limits<uint32_t>::max() - 1) throw Error("more than ", size(), " strings");
  bytes_ += text;
  ends_.push_back(bytes_.size());
  slot = size();
  return {slot - 1, true};
}

void StringTable::grow() {
  slots_.assign(slots_.empty() ? 16 : 2 * slots_.size(), 0);
  for (size_t i = 0; i < size(); ++i) slots_[slot_of(at(i))] = i + 1;
}

}  // namespace bert
