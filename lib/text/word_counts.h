// Word counts in bounded memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bert::text {

struct WordCount {
  std::string_view word;
  int64_t count = 0;
  bool operator==(const WordCount&) const = default;
};

// With more than `max_words` different words, the rarest are dropped: all words counted at most k times, for
// the smallest k that leaves at most max_words / 2. A dropped word that occurs again starts from 0, so counts
// may be too low by up to the sum of these k. The result depends only on the order of the words.
class WordCounts {
 public:
  explicit WordCounts(size_t max_words);

  // count >= 1. Error if the count of a word does not fit 63 bits.
  void add(std::string_view word, int64_t count = 1);

  size_t size() const { return entries_.size(); }
  int64_t forgotten() const { return forgotten_; }      // words dropped, repeated drops included
  int64_t uncertainty() const { return uncertainty_; }  // the sum of the k, at most 2^63 - 1

  // Sorted by bytes. Views are valid until the next add().
  std::vector<WordCount> sorted() const;

 private:
  struct Entry {
    uint64_t hash;
    int64_t count;
    size_t begin;  // in text_
    uint32_t size;
  };

  std::string_view word(const Entry& entry) const { return {text_.data() + entry.begin, entry.size}; }
  size_t slot_of(std::string_view word, uint64_t hash) const;
  void place_all(size_t slots);
  int64_t pruning_threshold() const;
  void prune();

  const size_t max_words_;
  std::vector<Entry> entries_;   // in order of first occurrence
  std::vector<uint32_t> slots_;  // open addressing, size a power of two: index into entries_ + 1, 0 if empty
  std::string text_;
  int64_t forgotten_ = 0, uncertainty_ = 0;
};

}  // namespace bert::text
