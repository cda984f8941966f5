#include "text/word_cache.h"

#include <algorithm>
#include <cstring>

namespace bert::text {
namespace {

constexpr size_t kCacheSlots = 1 << 17;
constexpr size_t kTriedSlots = 4;

}  // namespace

WordCache::WordCache() : slots_(kCacheSlots) {}

WordCache::~WordCache() {
  for (const auto& slot : slots_) delete slot.load(std::memory_order_relaxed);
}

uint64_t WordCache::hash_of(std::string_view word) {
  uint64_t hash = word.size();
  const auto mix = [&](uint64_t bytes) {
    hash = (hash ^ bytes) * 0x9E3779B97F4A7C15;
    hash ^= hash >> 32;
  };
  uint64_t bytes = 0;
  const char* at = word.data();
  size_t left = word.size();
  for (; left >= sizeof bytes; left -= sizeof bytes, at += sizeof bytes) {
    std::memcpy(&bytes, at, sizeof bytes);
    mix(bytes);
  }
  bytes = 0;
  for (size_t i = 0; i < left; ++i) bytes |= uint64_t{static_cast<uint8_t>(at[i])} << (8 * i);
  mix(bytes);
  return hash;
}

const WordCache::Entry* WordCache::find(std::string_view word, uint64_t hash) const {
  for (size_t i = 0; i < kTriedSlots; ++i) {
    const Entry* entry = slots_[(hash + i) & (kCacheSlots - 1)].load(std::memory_order_acquire);
    if (entry == nullptr) return nullptr;
    if (entry->hash_ == hash && std::string_view(entry->word_, entry->size_) == word) return entry;
  }
  return nullptr;
}

void WordCache::add(std::string_view word, uint64_t hash, std::span<const Part> parts) const {
  for (size_t i = 0; i < kTriedSlots; ++i) {
    auto& slot = slots_[(hash + i) & (kCacheSlots - 1)];
    if (slot.load(std::memory_order_relaxed) != nullptr) continue;
    auto entry = std::make_unique<Entry>();
    entry->hash_ = hash;
    entry->size_ = static_cast<uint32_t>(word.size());
    entry->count_ = static_cast<uint32_t>(parts.size());
    entry->parts_ = std::make_unique<Part[]>(parts.size());
    std::ranges::copy(parts, entry->parts_.get());
    std::ranges::copy(word, entry->word_);
    const Entry* expected = nullptr;
    if (slot.compare_exchange_strong(expected, entry.get(), std::memory_order_acq_rel)) entry.release();
    return;
  }
}

}  // namespace bert::text
