// The words of a corpus, divided into subwords, with the counts of adjacent pairs. Each
// merge updates the counts by reading only the words that contain the merged pair.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace bert::text {

class DividedWords {
 public:
  struct Pair {
    int32_t first = 0, second = 0;  // subwords
    int64_t count = 0;              // occurrences, overlapping ones included ("aaa" contains a a twice)
    std::vector<uint32_t> words;    // may contain the pair; with repetitions and outdated entries
    bool with_first = false, with_second = false;  // whether it is in the neighbor lists of its subwords
  };

  // Adds a word. All words must be added before the first join.
  void add(std::span<const int32_t> subwords, int64_t count);

  // Merges the pair into the subword `joined` in all words, left to right. `joined` may be new or already
  // exist (ab + c after a + bc). Afterwards changed() lists each pair whose count has changed, possibly more
  // than once.
  void join(uint32_t pair, int32_t joined);
  std::span<const uint32_t> changed() const { return changed_; }

  size_t pairs() const { return pairs_.size(); }
  const Pair& pair(uint32_t index) const { return pairs_[index]; }
  size_t subwords() const { return counts_.size(); }  // greater than the highest id in use
  int64_t count(int32_t subword) const { return counts_[subword]; }
  int64_t total() const { return total_; }  // number of subwords in all words; a join never increases it

  // Pairs with `subword` on either side and a positive count.
  const std::vector<uint32_t>& neighbours(int32_t subword);

 private:
  struct Word {
    size_t begin;  // in subwords_
    uint32_t size;
    int64_t count;
  };

  uint32_t index_of(int32_t first, int32_t second);
  void list(uint32_t pair);
  void change(int32_t first, int32_t second, int64_t by, uint32_t word);
  void join_in(uint32_t word, int32_t first, int32_t second, int32_t joined);
  void make_room(int32_t subword);

  std::vector<Word> words_;
  std::vector<int32_t> subwords_;
  std::vector<Pair> pairs_;
  std::unordered_map<uint64_t, uint32_t> by_subwords_;
  std::vector<int64_t> counts_;                    // by subword
  std::vector<std::vector<uint32_t>> neighbours_;  // by subword; pairs with count 0 are removed when found
  std::vector<uint32_t> changed_;
  int64_t total_ = 0;
};

}  // namespace bert::text
