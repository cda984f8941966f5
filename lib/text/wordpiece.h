// Splits words greedily into the longest subword tokens of a vocabulary, in time linear in the word length:
// LinMaxMatch of Song et al. 2021, "Fast WordPiece Tokenization" (arXiv 2012.15524).
//
// The vocabulary is a trie of bytes. Plain longest-match search walks down the trie until no branch matches,
// takes the longest token it passed, and reads the bytes after that token again. Here each node stores the
// outcome of this search, computed when the trie is built: the tokens taken (`pops`) and the node that the
// second walk reaches (`fail`). So each byte is read once.
//
//   vocabulary: a  abcdx  ##b  ##c  ##cdy  ##dz      words start at A, continuations at B
//
//   A -a- a -b- ab -c- abc -d- abcd -x- abcdx    B -b- ##b
//                                                B -c- ##c -d- ##cd -y- ##cdy      B -d- ##d -z- ##dz
//
//   node     pops          fail      because the text so far …
//   a        a             B         is a token: nothing is left
//   ab       a             ##b       is a + b, and b may continue
//   abc      a ##b         ##c
//   abcd     a ##b         ##cd      c and d stay together as long as ##cdy is possible
//   abcdx    abcdx         B
//   ##c      ##c           B
//   ##cd     ##c           ##d
//   ##d      none          none      is not a token: the word is [UNK]
//
//   "abcdz": walk to abcd; no branch z: pop a ##b, go to ##cd; no branch z: pop ##c, go to ##d; walk to ##dz.
//   End of the word: pop ##dz, arrive at B.                           a ##b ##c ##dz
//
// Tokens consist of whole code points, so walking bytes gives the same result.
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
  // Whether a word itself can start with the continuation prefix. It cannot if punctuation is split off.
  enum class PrefixInWords { never, possible };

  // `subwords` by id; "" is an unused id. If a token is repeated, the last one wins.
  WordPiece(std::span<const std::string> subwords, std::string_view prefix, PrefixInWords prefix_in_words);

  // States are ints. A word starts at begin(); step() advances by one byte; finish() ends the word.
  int32_t begin() const { return kWordRoot; }

  // The state after `byte`. Appends the tokens that are determined by now to `out`.
  int32_t step(int32_t state, uint8_t byte, std::vector<int32_t>& out) const {
    const int32_t next = nodes_[state].base + byte;
    return nodes_[next].parent == state ? next : fall(state, byte, out);
  }

  // Appends the remaining tokens. False if the word cannot be split into tokens; `out` may then contain some
  // of them.
  bool finish(int32_t state, std::vector<int32_t>& out) const {
    while (state != kContinuationRoot) {
      const Node& node = nodes_[state];
      if (node.fail == kDead) return false;
      take(node.pops, out);
      state = node.fail;
    }
    return true;
  }

  std::optional<int32_t> id(std::string_view subword) const;

 private:
  static constexpr int32_t kDead = 0;  // the word is [UNK], whatever follows
  static constexpr int32_t kWordRoot = 1;
  static constexpr int32_t kContinuationRoot = 2;
  static constexpr uint32_t kSinglePop =
      0x80000000;  // the remaining bits of `pops` are the id; otherwise `pops` is an index into pops_

  // Double array: the child of node n for byte b is nodes_[n].base + b, if that node's parent is n.
  struct Node {
    int32_t base = 0;  // 0 without children; nodes below 256 have no parent
    int32_t parent = -1;
    int32_t fail = kDead;
    uint32_t pops = 0;
  };
  class Builder;

  int32_t fall(int32_t state, uint8_t byte, std::vector<int32_t>& out) const;
  void take(uint32_t pops, std::vector<int32_t>& out) const;

  std::vector<Node> nodes_;
  std::vector<int32_t> pops_;  // lists of ids, each preceded by its length
  std::string prefix_;
};

}  // namespace bert::text
