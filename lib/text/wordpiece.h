// Splits words into the longest pieces of a vocabulary, in time linear in the word: LinMaxMatch of Song et
// al. 2021, "Fast WordPiece Tokenization" (arXiv 2012.15524).
//
// The vocabulary is a trie of bytes. Plain longest match walks the trie until no branch fits, takes the
// longest piece it passed, and walks the bytes behind that piece again. Here each node knows, from when the
// trie was built, what would happen: the pieces that would be taken (`pops`) and the node at which the second
// walk would arrive (`fail`). So each byte is read once.
//
//   pieces: a  abcdx  ##b  ##c  ##cdy  ##dz      words begin at A, continuations at B
//
//   A -a- a -b- ab -c- abc -d- abcd -x- abcdx    B -b- ##b
//                                                B -c- ##c -d- ##cd -y- ##cdy      B -d- ##d -z- ##dz
//
//   node     pops          fail      because the text passed so far …
//   a        a             B         is a piece: nothing is left
//   ab       a             ##b       is a + b, and b may still grow
//   abc      a ##b         ##c
//   abcd     a ##b         ##cd      c and d go together as long as ##cdy is possible
//   abcdx    abcdx         B
//   ##c      ##c           B
//   ##cd     ##c           ##d
//   ##d      none          none      is no piece: the word is [UNK]
//
//   "abcdz": walk to abcd; no branch z: pop a ##b, go to ##cd; no branch z: pop ##c, go to ##d; walk to ##dz.
//   The word ends: pop ##dz, arrive at B.                             a ##b ##c ##dz
//
// Pieces are whole code points, so walking bytes instead gives the same pieces.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bert::text {

class WordPiece {
 public:
  // Whether a word may itself begin with the continuation prefix; it may not when punctuation is split off.
  enum class PrefixInWords { never, possible };

  // `pieces` by id; "" is no piece. Of equal pieces the last is meant.
  WordPiece(std::span<const std::string> pieces, std::string_view prefix, PrefixInWords prefix_in_words);

  // States are ints. A word starts at begin(); each byte leads on; finish() ends it.
  int32_t begin() const { return kWordRoot; }

  // The state after `byte`. Pieces that are certain by now are appended to `out`.
  int32_t step(int32_t state, uint8_t byte, std::vector<int32_t>& out) const {
    const int32_t next = nodes_[state].base + byte;
    return nodes_[next].parent == state ? next : fall(state, byte, out);
  }

  // Appends the rest; false when the word has no division into pieces (`out` may then hold some of them).
  bool finish(int32_t state, std::vector<int32_t>& out) const {
    while (state != kContinuationRoot) {
      const Node& node = nodes_[state];
      if (node.fail == kDead) return false;
      take(node.pops, out);
      state = node.fail;
    }
    return true;
  }

  std::optional<int32_t> id(std::string_view piece) const;

 private:
  static constexpr int32_t kDead = 0;  // the word is [UNK] whatever follows
  static constexpr int32_t kWordRoot = 1;
  static constexpr int32_t kContinuationRoot = 2;
  static constexpr uint32_t kSinglePop =
      0x80000000;  // the rest of `pops` is the id, else an index into pops_

  // Double array: the child of node n by byte b is at nodes_[n].base + b, if that node's parent is n.
  struct Node {
    int32_t base = 0;  // nodes without children: 0; no node below 256 has a parent
    int32_t parent = -1;
    int32_t fail = kDead;
    uint32_t pops = 0;
  };
  class Builder;

  int32_t fall(int32_t state, uint8_t byte, std::vector<int32_t>& out) const;
  void take(uint32_t pops, std::vector<int32_t>& out) const;

  std::vector<Node> nodes_;
  std::vector<int32_t> pops_;  // lists of ids, each behind its length
  std::string prefix_;
};

}  // namespace bert::text
