#include "text/word_cache.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace bert::text {

WordCache::WordCache() : slots_(std::make_unique<Entry[]>(kSlots)) {}

void WordCache::add(CachedWord word, uint64_t hash, std::span<const Part> parts) const {
  if (word.rest.size() > Entry::kBytes || parts.size() > Entry::kTokens) return;
  uint32_t end = 0;
  for (const Part& part : parts)
    if (part.begin != std::exchange(end, part.end)) return;  // the bytes of an unknown character
  for (size_t i = 0; i < kTried; ++i) {
    Entry& entry = slots_[(hash + i) & (kSlots - 1)];
    auto expected = Entry::State::free;
    if (!entry.state_.compare_exchange_strong(expected, Entry::State::taken)) continue;
    entry.count_ = static_cast<uint8_t>(parts.size());
    entry.size_ = static_cast<uint8_t>(word.rest.size());
    entry.marked_ = word.marked;
    for (size_t part = 0; part < parts.size(); ++part) {
      entry.ids_[part] = parts[part].id;
      entry.ends_[part] = static_cast<uint8_t>(parts[part].end);
    }
    std::ranges::copy(word.rest, entry.rest_.begin());
    entry.state_.store(Entry::State::ready, std::memory_order_release);
    return;
  }
}

}  // namespace bert::text
