#include "text/unigram.h"

#include <algorithm>
#include <array>

#include "base/error.h"
#include "text/utf8.h"

namespace bert::text {
namespace {

constexpr double kUnknownPenalty = 10;

// Where the lattice has only one node, its path so far is final. It is cut there once it is this long, so
// that a long word needs little memory.
constexpr size_t kLongLattice = 1 << 14;

// Most words fit here without an allocation.
constexpr size_t kShortWord = 48;

std::string name_of_byte(int byte) {
  static constexpr std::string_view kHex = "0123456789ABCDEF";
  return {'<', '0', 'x', kHex[static_cast<size_t>(byte / 16)], kHex[static_cast<size_t>(byte % 16)], '>'};
}

}  // namespace

// The best path to each position from `base_` on.
class Unigram::Lattice {
 public:
  struct Node {
    double score = 0;
    int32_t id = 0;
    uint32_t length = 0;  // of the last token; 0: not reached
  };

  explicit Lattice(size_t word_size) {
    if (word_size < kShortWord) {
      nodes_ = short_.data();
      size_ = short_.size();
    } else {
      grow(std::min(word_size + 1, 2 * kLongLattice));
    }
  }

  Node& at(size_t position) {
    const size_t index = position - base_;
    if (index >= size_) grow(std::max(index + 1, 2 * size_));
    return nodes_[index];
  }

  void offer(size_t from, size_t to, double score, int32_t id) {
    Node& node = at(to);
    if (node.length == 0 || score > node.score) node = {score, id, static_cast<uint32_t>(to - from)};
  }

  size_t length(size_t end) const { return end - base_; }

  // Appends the path to `end`, which all paths pass, and starts over there.
  void take(size_t end, std::vector<Part>& parts) {
    const auto first = static_cast<ptrdiff_t>(parts.size());
    for (size_t at = end; at > base_;) {
      const Node& node = nodes_[at - base_];
      parts.push_back({node.id, static_cast<uint32_t>(at) - node.length, static_cast<uint32_t>(at)});
      at -= node.length;
    }
    std::reverse(parts.begin() + first, parts.end());
    const Node last = nodes_[end - base_];
    std::fill_n(nodes_, end - base_ + 1, Node());
    nodes_[0].score = last.score;
    base_ = end;
  }

 private:
  void grow(size_t size) {
    if (long_.empty()) long_.assign(nodes_, nodes_ + size_);
    long_.resize(size);
    nodes_ = long_.data();
    size_ = size;
  }

  std::array<Node, kShortWord> short_;
  std::vector<Node> long_;
  Node* nodes_ = nullptr;
  size_t size_ = 0, base_ = 0;
};

Unigram::Unigram(std::span<const std::string> subwords, UnigramData data)
    : trie_(subwords), data_(std::move(data)) {
  unknown_score_ = *std::ranges::min_element(data_.scores) - kUnknownPenalty;
  if (!data_.byte_fallback) return;
  for (int byte = 0; byte < 256; ++byte) {
    bytes_.push_back(trie_.find(name_of_byte(byte)));
    if (bytes_.back() == ByteTrie::kNone)
      throw Error("byte_fallback is true, but there is no token ", name_of_byte(byte));
  }
}

void Unigram::split(std::string_view word, std::vector<Part>& parts) const {
  const size_t first = parts.size();
  Lattice lattice(word.size());
  size_t reach = 0;  // the end of the longest token so far
  for (size_t at = 0; at < word.size();) {
    if (reach == at && lattice.length(at) >= kLongLattice) lattice.take(at, parts);
    const double score = lattice.at(at).score;
    const size_t next = at + decode(word.data() + at).size;
    bool has_single = false;
    int32_t node = ByteTrie::kRoot;
    for (size_t end = at; end < word.size();) {
      node = trie_.child(node, word[end]);
      if (node == ByteTrie::kNone) break;
      ++end;
      const int32_t id = trie_.id(node);
      if (id == ByteTrie::kNone) continue;
      lattice.offer(at, end, data_.scores[id] + score, id);
      has_single |= end == next;
      reach = std::max(reach, end);
    }
    if (!has_single) lattice.offer(at, next, unknown_score_ + score, data_.unk);
    reach = std::max(reach, next);
    at = next;
  }
  lattice.take(word.size(), parts);
  const auto is_unknown = [&](const Part& part) { return part.id == data_.unk; };
  if (std::any_of(parts.begin() + static_cast<ptrdiff_t>(first), parts.end(), is_unknown))
    finish(word, parts, first);
}

// Joins unknown tokens, or replaces them by their bytes, each of which has the offsets of all.
void Unigram::finish(std::string_view word, std::vector<Part>& parts, size_t first) const {
  const std::vector<Part> raw(parts.begin() + static_cast<ptrdiff_t>(first), parts.end());
  parts.resize(first);
  for (size_t i = 0; i < raw.size(); ++i) {
    Part part = raw[i];
    if (part.id != data_.unk) {
      parts.push_back(part);
      continue;
    }
    while (i + 1 < raw.size() && raw[i + 1].id == data_.unk) part.end = raw[++i].end;
    const std::string_view unknown = word.substr(part.begin, part.end - part.begin);
    const int32_t whole = trie_.find(unknown);
    if (whole != ByteTrie::kNone) part.id = whole;
    if (whole != ByteTrie::kNone || bytes_.empty()) {
      parts.push_back(part);
      continue;
    }
    for (const char byte : unknown)
      parts.push_back({bytes_[static_cast<uint8_t>(byte)], part.begin, part.end});
  }
}

}  // namespace bert::text
