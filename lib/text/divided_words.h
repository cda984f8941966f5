// The words of a corpus as divided into pieces, and what there is to know about neighbouring pieces, kept up
// to date from join to join: only the words that hold the joined pair are read again.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace bert::text {

class DividedWords {
 public:
  struct Pair {
    int32_t first = 0, second = 0;  // pieces
    int64_t count = 0;              // occurrences, overlapping ones ("aaa" has two of a a) counted
    std::vector<uint32_t> words;    // where it may occur; one may stand there twice, or in vain
    bool with_first = false, with_second = false;  // whether it is in the pieces' lists of neighbours
  };

  // Words come one after another, all before the first join.
  void add(std::span<const int32_t> pieces, int64_t count);

  // Joins the pair everywhere, from the left, into `joined`, a new piece or one that is there already (ab + c
  // after a + bc). Afterwards changed() names each pair whose count is another, perhaps more than once.
  void join(uint32_t pair, int32_t joined);
  std::span<const uint32_t> changed() const { return changed_; }

  size_t pairs() const { return pairs_.size(); }
  const Pair& pair(uint32_t index) const { return pairs_[index]; }
  size_t pieces() const { return counts_.size(); }  // more than the highest that occurs
  int64_t count(int32_t piece) const { return counts_[static_cast<size_t>(piece)]; }
  int64_t total() const { return total_; }  // pieces of all words; never grows by a join

  // Pairs that have `piece` on either side and occur.
  const std::vector<uint32_t>& neighbours(int32_t piece);

 private:
  struct Word {
    size_t begin;  // in pieces_
    uint32_t size;
    int64_t count;
  };

  uint32_t index_of(int32_t first, int32_t second);
  void list(uint32_t pair);
  void change(int32_t first, int32_t second, int64_t by, uint32_t word);
  void join_in(uint32_t word, int32_t first, int32_t second, int32_t joined);
  void make_room(int32_t piece);

  std::vector<Word> words_;
  std::vector<int32_t> pieces_;
  std::vector<Pair> pairs_;
  std::unordered_map<uint64_t, uint32_t> by_pieces_;
  std::vector<int64_t> counts_;  // by piece
  std::vector<std::vector<uint32_t>>
      neighbours_;  // by piece; those that occur no more are dropped on the way
  std::vector<uint32_t> changed_;
  int64_t total_ = 0;
};

}  // namespace bert::text
