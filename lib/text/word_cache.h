// Words that were split before, with their tokens. Threads share it without locks: an entry is never changed
// or removed. Once a word's slots are full, it is not added; the words of natural text that come first are
// the frequent ones.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "text/subword_model.h"

namespace bert::text {

class WordCache {
 public:
  static constexpr size_t kMaxWord = 64;  // longer words are not worth an entry

  WordCache();
  ~WordCache();
  WordCache(const WordCache&) = delete;

  class Entry {
   public:
    std::span<const Part> parts() const { return {parts_.get(), count_}; }

   private:
    friend class WordCache;
    uint64_t hash_ = 0;
    uint32_t count_ = 0;
    uint32_t size_ = 0;
    std::unique_ptr<Part[]> parts_;
    char word_[kMaxWord] = {};
  };

  static uint64_t hash_of(std::string_view word);

  const Entry* find(std::string_view word, uint64_t hash) const;
  void add(std::string_view word, uint64_t hash, std::span<const Part> parts) const;

 private:
  mutable std::vector<std::atomic<const Entry*>> slots_;
};

}  // namespace bert::text
