#include "text/wordpiece.h"

#include "text/slots.h"
#include "text/sorted_subwords.h"

namespace bert::text {

// Builds the trie level by level, so that a fail link's targets, nodes of shorter texts, already exist.
class WordPiece::Builder {
 public:
  explicit Builder(WordPiece& trie) : trie_(trie) { trie.nodes_.resize(Slots::kFirst); }

  void add(int32_t root, const SortedSubwords& subwords) {
    level_ = {{.state = root, .begin = 0, .end = subwords.size()}};
    for (size_t depth = 0; !level_.empty(); ++depth) {
      next_level_.clear();
      for (const Range& range : level_) expand(range, depth, subwords);
      level_.swap(next_level_);
    }
  }

 private:
  // The range of tokens that start with a node's text.
  struct Range {
    int32_t state;
    size_t begin, end;
  };

  void expand(Range range, size_t depth, const SortedSubwords& subwords) {
    while (range.begin < range.end && subwords.length(range.begin) == depth) ++range.begin;
    if (range.begin == range.end) return;
    labels_.clear();
    children_.clear();
    for (size_t i = range.begin; i < range.end; ++i) {
      const auto label = subwords.byte(i, depth);
      if (labels_.empty() || labels_.back() != label) {
        labels_.push_back(label);
        children_.push_back({.state = 0, .begin = i, .end = i});
      }
      ++children_.back().end;
    }
    const int32_t base = slots_.place(labels_);
    if (trie_.nodes_.size() < slots_.size()) trie_.nodes_.resize(slots_.size());
    trie_.nodes_[range.state].base = base;
    for (size_t i = 0; i < children_.size(); ++i) {
      Range child = children_[i];
      child.state = base + labels_[i];
      trie_.nodes_[child.state].parent = range.state;
      link(child, depth + 1, labels_[i], subwords);
      next_level_.push_back(child);
    }
  }

  // Sets pops and fail of a node from those of its parent; `label` is the byte between them.
  void link(const Range& range, size_t depth, uint8_t label, const SortedSubwords& subwords) {
    Node& node = trie_.nodes_[range.state];
    if (subwords.length(range.begin) == depth) {
      size_t last = range.begin;
      while (last + 1 < range.end && subwords.length(last + 1) == depth) ++last;
      node.fail = kContinuationRoot;
      node.pops = kSinglePop | subwords.id(last);
      return;
    }
    const Node& parent = trie_.nodes_[node.parent];
    if (parent.fail == kDead) return;
    popped_.clear();
    const int32_t state = trie_.fall(node.parent, label, popped_);
    if (state == kDead) return;
    node.fail = state;
    node.pops = popped_.size() == count(parent.pops) ? parent.pops : store(popped_);
  }

  size_t count(uint32_t pops) const { return (pops & kSinglePop) != 0 ? 1 : trie_.pops_[pops]; }

  uint32_t store(const std::vector<int32_t>& ids) {
    const uint32_t at = trie_.pops_.size();
    trie_.pops_.push_back(ids.size());
    trie_.pops_.insert(trie_.pops_.end(), ids.begin(), ids.end());
    return at;
  }

  WordPiece& trie_;
  Slots slots_;
  std::vector<Range> level_, next_level_, children_;
  std::vector<uint8_t> labels_;
  std::vector<int32_t> popped_;
};

WordPiece::WordPiece(std::span<const std::string> subwords, std::string_view prefix,
                     PrefixInWords prefix_in_words)
    : prefix_(prefix) {
  SortedSubwords words, continuations;
  for (size_t i = 0; i < subwords.size(); ++i) {
    const std::string_view subword = subwords[i];
    if (subword.empty()) continue;
    const int32_t id = i;
    const bool is_continuation = subword.starts_with(prefix) && subword.size() > prefix.size();
    if (is_continuation) continuations.add(subword.substr(prefix.size()), id);
    if (!is_continuation || prefix_in_words == PrefixInWords::possible) words.add(subword, id);
  }
  words.sort();
  nodes_.reserve(3 * subwords.size());  // typical for released vocabularies
  continuations.sort();
  Builder builder(*this);
  builder.add(kContinuationRoot, continuations);
  builder.add(kWordRoot, words);
  nodes_.resize(nodes_.size() + 256);  // so that base + byte is always a valid index
}

int32_t WordPiece::fall(int32_t state, uint8_t byte, std::vector<int32_t>& out) const {
  for (;;) {
    const Node& node = nodes_[state];
    if (node.fail == kDead) return kDead;
    take(node.pops, out);
    state = node.fail;
    const auto next = static_cast<size_t>(nodes_[state].base) + byte;
    if (next < nodes_.size() && nodes_[next].parent == state) return next;
  }
}

void WordPiece::take(uint32_t pops, std::vector<int32_t>& out) const {
  if ((pops & kSinglePop) != 0) {
    out.push_back(pops & ~kSinglePop);
    return;
  }
  const auto list = pops_.begin() + pops;
  out.insert(out.end(), list + 1, list + 1 + *list);
}

std::optional<int32_t> WordPiece::id(std::string_view subword) const {
  const bool is_continuation = subword.starts_with(prefix_) && subword.size() > prefix_.size();
  int32_t state = is_continuation ? kContinuationRoot : kWordRoot;
  for (const char byte : is_continuation ? subword.substr(prefix_.size()) : subword) {
    const int32_t next = nodes_[state].base + static_cast<uint8_t>(byte);
    if (nodes_[next].parent != state) return std::nullopt;
    state = next;
  }
  const Node& node = nodes_[state];
  if (node.fail != kContinuationRoot) return std::nullopt;
  return node.pops & ~kSinglePop;
}

}  // namespace bert::text
