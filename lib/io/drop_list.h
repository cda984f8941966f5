// The names of --drop, and which of them a record had; and fields of an earlier run of a tool.
#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "json/json.h"

namespace bert::io {

// Copies share what was found. Any number of threads may ask.
class DropList {
 public:
  DropList() = default;
  DropList(std::vector<std::string> names) {  // NOLINT: a list of names is one
    for (auto& name : names) add(std::move(name));
  }

  void add(std::string name, bool stale = false) {
    has_parts_ = has_parts_ || name.find('.') != name.npos;
    key_bits_ |= json::key_bit(name);
    entries_.push_back({std::move(name), stale, std::make_shared<std::atomic<bool>>(false)});
  }

  // A field that the user did not name.
  void add_stale(std::string name) { add(std::move(name), true); }

  bool empty() const { return entries_.empty(); }
  // Whether a name may be that of a member of a field, such as "scores.pos".
  bool has_parts() const { return has_parts_; }
  bool has_part_of(std::string_view name) const {
    return std::ranges::any_of(entries_, [name](const Entry& entry) {
      return entry.name.starts_with(name) &&
             std::string_view(entry.name).substr(name.size()).starts_with('.');
    });
  }
  // The json::key_bit()s of the fields that may have to change.
  uint64_t key_bits() const { return key_bits_; }

  // Whether the field, which a record has, is to be left out.
  bool contains(std::string_view name) const {
    const auto entry = std::ranges::find(entries_, name, &Entry::name);
    if (entry == entries_.end()) return false;
    if (!entry->found->load(std::memory_order_relaxed)) entry->found->store(true, std::memory_order_relaxed);
    return true;
  }

  bool is_stale(std::string_view name) const {
    const auto entry = std::ranges::find(entries_, name, &Entry::name);
    return entry != entries_.end() && entry->stale;
  }

  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& entry : entries_) names.push_back(entry.name);
    return names;
  }
  std::vector<std::string> not_found() const {
    std::vector<std::string> names;
    for (const auto& entry : entries_)
      if (!*entry.found) names.push_back(entry.name);
    return names;
  }

 private:
  struct Entry {
    std::string name;
    bool stale;
    std::shared_ptr<std::atomic<bool>> found;
  };
  std::vector<Entry> entries_;
  uint64_t key_bits_ = 0;
  bool has_parts_ = false;
};

}  // namespace bert::io
