// Words that were split before, with their tokens. Threads share it without locks: an entry is written once
// and never changed or removed. Once a word's slots are taken, it is not added; the words of natural text
// that come first are the frequent ones. An entry has the size of a cache line, so that a lookup reads little
// memory.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "text/subword_model.h"

namespace bert::text {

// A word for the cache. With `marked`, "▁" comes before `rest`.
struct CachedWord {
  std::string_view rest;
  bool marked = false;
};

class WordCache {
 public:
  WordCache();

  class alignas(64) Entry {
   public:
    std::span<const int32_t> ids() const { return {ids_.data(), count_}; }
    std::span<const uint8_t> ends() const { return {ends_.data(), count_}; }  // a token begins at an end

   private:
    friend class WordCache;
    static constexpr size_t kTokens = 6, kBytes = 26;

    bool holds(CachedWord word) const {
      return size_ == word.rest.size() && marked_ == word.marked &&
             equal(rest_.data(), word.rest.data(), size_);
    }

    enum class State : uint32_t { free, taken, ready };
    std::atomic<State> state_ = State::free;
    std::array<int32_t, kTokens> ids_;
    std::array<uint8_t, kTokens> ends_;
    uint8_t count_;
    uint8_t size_;
    bool marked_;
    std::array<char, kBytes> rest_;
  };

  // Reads words of 8 bytes; the last ones may overlap.
  static uint64_t hash_of(CachedWord word) {
    const size_t size = word.rest.size();
    const char* const begin = word.rest.data();
    uint64_t hash = 2 * size + (word.marked ? 1 : 0);
    if (size >= sizeof(uint64_t)) {
      for (size_t at = 0; at + sizeof(uint64_t) < size; at += sizeof(uint64_t))
        hash = mixed(hash, load<uint64_t>(begin + at));
      return mixed(hash, load<uint64_t>(begin + size - sizeof(uint64_t)));
    }
    if (size >= sizeof(uint32_t))
      return mixed(hash,
                   uint64_t{load<uint32_t>(begin)} << 32 | load<uint32_t>(begin + size - sizeof(uint32_t)));
    if (size == 0) return mixed(hash, 0);
    return mixed(hash, uint64_t{load<uint8_t>(begin)} << 16 | uint64_t{load<uint8_t>(begin + size / 2)} << 8 |
                           load<uint8_t>(begin + size - 1));
  }

  void prefetch(uint64_t hash) const { __builtin_prefetch(&slots_[hash & (kSlots - 1)]); }

  const Entry* find(CachedWord word, uint64_t hash) const {
    for (size_t i = 0; i < kTried; ++i) {
      const Entry& entry = slots_[(hash + i) & (kSlots - 1)];
      if (entry.state_.load(std::memory_order_acquire) != Entry::State::ready) return nullptr;
      if (entry.holds(word)) return &entry;
    }
    return nullptr;
  }

  void add(CachedWord word, uint64_t hash, std::span<const Part> parts) const;

 private:
  static uint64_t mixed(uint64_t hash, uint64_t bytes) {
    hash = (hash ^ bytes) * 0x9E3779B97F4A7C15;
    return hash ^ hash >> 32;
  }

  template <class T>
  static T load(const char* at) {
    T bytes;
    std::memcpy(&bytes, at, sizeof bytes);
    return bytes;
  }

  // Compares integers, of which the last two may overlap.
  template <class T>
  static bool equal_in(const char* a, const char* b, size_t size) {
    for (size_t at = 0; at + sizeof(T) < size; at += sizeof(T))
      if (load<T>(a + at) != load<T>(b + at)) return false;
    return load<T>(a + size - sizeof(T)) == load<T>(b + size - sizeof(T));
  }

  static bool equal(const char* a, const char* b, size_t size) {
    if (size >= sizeof(uint64_t)) return equal_in<uint64_t>(a, b, size);
    if (size >= sizeof(uint32_t)) return equal_in<uint32_t>(a, b, size);
    return size == 0 || equal_in<uint8_t>(a, b, size);
  }

  static constexpr size_t kSlots = 1 << 17, kTried = 4;
  std::unique_ptr<Entry[]> slots_;
};

}  // namespace bert::text
