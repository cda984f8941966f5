// How often each word occurs, in bounded memory.
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

// When more than `max_words` different words have been met, the rarest are forgotten: all that were counted
// at most k times, k being the smallest number that leaves at most half of max_words. A word that comes again
// starts from 0, so what is known of a word is too low by at most the sum of those k. All of it depends on
// the order of the words alone.
class WordCounts {
 public:
  explicit WordCounts(size_t max_words);

  // count >= 1. Error when a word's count does not fit in 63 bits.
  void add(std::string_view word, int64_t count = 1);

  size_t size() const { return entries_.size(); }
  int64_t forgotten() const { return forgotten_; }      // words, each as often as it was forgotten
  int64_t uncertainty() const { return uncertainty_; }  // the sum of the k, at most the greatest of 63 bits

  // By the words' bytes; the views live until the next add().
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
  std::vector<Entry> entries_;   // in the order in which they were met
  std::vector<uint32_t> slots_;  // open addressing, a power of two: index into entries_ + 1, 0 for none
  std::string text_;
  int64_t forgotten_ = 0, uncertainty_ = 0;
};

}  // namespace bert::text
