#include "text/divided_words.h"

#include <cassert>

#include "base/error.h"

namespace bert::text {

void DividedWords::make_room(int32_t subword) {
  const auto size = static_cast<size_t>(subword) + 1;
  if (size <= counts_.size()) return;
  counts_.resize(size);
  neighbours_.resize(size);
}

uint32_t DividedWords::index_of(int32_t first, int32_t second) {
  const uint64_t key = static_cast<uint64_t>(first) << 32 | static_cast<uint32_t>(second);
  const auto [found, is_new] = by_subwords_.try_emplace(key, pairs_.size());
  if (is_new) pairs_.push_back({.first = first, .second = second});
  return found->second;
}

void DividedWords::list(uint32_t index) {
  Pair& pair = pairs_[index];
  if (!pair.with_first) neighbours_[pair.first].push_back(index);
  if (!pair.with_second && pair.second != pair.first) {
    neighbours_[pair.second].push_back(index);
  }
  pair.with_first = pair.with_second = true;
}

void DividedWords::change(int32_t first, int32_t second, int64_t by, uint32_t word) {
  const uint32_t index = index_of(first, second);
  Pair& pair = pairs_[index];
  if (!pair.with_first || !pair.with_second) list(index);
  pair.count += by;
  if (by > 0 && (pair.words.empty() || pair.words.back() != word)) pair.words.push_back(word);
  changed_.push_back(index);
}

void DividedWords::add(std::span<const int32_t> subwords, int64_t count) {
  const uint32_t word = words_.size();
  words_.push_back(
      {.begin = subwords_.size(), .size = static_cast<uint32_t>(subwords.size()), .count = count});
  subwords_.insert(subwords_.end(), subwords.begin(), subwords.end());
  int64_t occurrences = 0;
  if (__builtin_mul_overflow(count, std::ssize(subwords), &occurrences) ||
      __builtin_add_overflow(total_, occurrences, &total_)) {
    throw Error("the words have more than 2^63 characters in total");
  }
  for (const int32_t subword : subwords) {
    make_room(subword);
    counts_[subword] += count;
  }
  for (size_t i = 1; i < subwords.size(); ++i) change(subwords[i - 1], subwords[i], count, word);
  changed_.clear();
}

void DividedWords::join(uint32_t index, int32_t joined) {
  changed_.clear();
  make_room(joined);
  const int32_t first = pairs_[index].first, second = pairs_[index].second;
  const std::vector<uint32_t> words = std::move(pairs_[index].words);
  pairs_[index].words.clear();
  for (const uint32_t word : words) join_in(word, first, second, joined);
  assert(pairs_[index].count == 0);
}

// x a b y -> x ab y: removes the pairs x a, a b and b y, adds x ab and ab y. After a merge, x is the merged
// subword, so a b a b becomes ab ab.
void DividedWords::join_in(uint32_t index, int32_t first, int32_t second, int32_t joined) {
  Word& word = words_[index];
  int32_t* const subwords = subwords_.data() + word.begin;
  uint32_t size = 0;  // subwords written
  for (uint32_t at = 0; at < word.size; ++at) {
    if (subwords[at] != first || at + 1 == word.size || subwords[at + 1] != second) {
      subwords[size++] = subwords[at];
      continue;
    }
    change(first, second, -word.count, index);
    if (size > 0) {
      change(subwords[size - 1], first, -word.count, index);
      change(subwords[size - 1], joined, word.count, index);
    }
    if (at + 2 < word.size) {
      change(second, subwords[at + 2], -word.count, index);
      change(joined, subwords[at + 2], word.count, index);
    }
    counts_[first] -= word.count;
    counts_[second] -= word.count;
    counts_[joined] += word.count;
    total_ -= word.count;
    subwords[size++] = joined;
    ++at;
  }
  word.size = size;
}

const std::vector<uint32_t>& DividedWords::neighbours(int32_t subword) {
  auto& pairs = neighbours_[subword];
  std::erase_if(pairs, [this, subword](uint32_t index) {
    Pair& pair = pairs_[index];
    if (pair.count > 0) return false;
    if (pair.first == subword) pair.with_first = false;
    if (pair.second == subword) pair.with_second = false;
    return true;
  });
  return pairs;
}

}  // namespace bert::text
