#include "text/byte_trie.h"

#include "text/slots.h"
#include "text/sorted_subwords.h"

namespace bert::text {
namespace {

// The tokens [begin, end) start with a node's text.
struct TrieRange {
  int32_t node;
  size_t begin, end;
};

}  // namespace

ByteTrie::ByteTrie(std::span<const std::string> subwords) : nodes_(Slots::kFirst) {
  SortedSubwords sorted;
  for (size_t i = 0; i < subwords.size(); ++i)
    if (!subwords[i].empty()) sorted.add(subwords[i], i);
  sorted.sort();
  Slots slots;
  std::vector<TrieRange> level{{kRoot, 0, sorted.size()}}, next_level;
  std::vector<uint8_t> labels;
  std::vector<size_t> ends;
  for (size_t depth = 0; !level.empty(); ++depth, level.swap(next_level), next_level.clear()) {
    for (auto [node, begin, end] : level) {
      for (; begin < end && sorted.length(begin) == depth; ++begin) nodes_[node].id = sorted.id(begin);
      if (begin == end) continue;
      labels.clear();
      ends.clear();
      for (size_t i = begin; i < end; ++i) {
        if (labels.empty() || labels.back() != sorted.byte(i, depth)) {
          labels.push_back(sorted.byte(i, depth));
          ends.push_back(i);
        }
        ends.back() = i + 1;
      }
      const int32_t base = slots.place(labels);
      if (nodes_.size() < slots.size()) nodes_.resize(slots.size());
      nodes_[node].base = base;
      for (size_t i = 0; i < labels.size(); ++i) {
        const int32_t child = base + labels[i];
        nodes_[child].parent = node;
        next_level.push_back({child, i == 0 ? begin : ends[i - 1], ends[i]});
      }
    }
  }
  nodes_.resize(nodes_.size() + 256);  // so that base + byte is always a valid index
}

int32_t ByteTrie::find(std::string_view subword) const {
  int32_t node = kRoot;
  for (const char byte : subword) {
    node = child(node, byte);
    if (node == kNone) return kNone;
  }
  return id(node);
}

}  // namespace bert::text
