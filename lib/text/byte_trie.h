// A set of tokens as a trie of bytes in a double array: the child of node n for byte b is nodes_[n].base + b,
// if that node's parent is n.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bert::text {

class ByteTrie {
 public:
  static constexpr int32_t kRoot = 1;
  static constexpr int32_t kNone = -1;

  // `subwords` by id; "" is an unused id. If a token is repeated, the last one wins.
  explicit ByteTrie(std::span<const std::string> subwords);

  // The child, or kNone.
  int32_t child(int32_t node, char byte) const {
    const int32_t next = nodes_[node].base + static_cast<uint8_t>(byte);
    return nodes_[next].parent == node ? next : kNone;
  }

  int32_t id(int32_t node) const { return nodes_[node].id; }  // of the token that ends here, or kNone
  int32_t find(std::string_view subword) const;               // its id, or kNone

 private:
  struct Node {
    int32_t base = 0;
    int32_t parent = kNone;
    int32_t id = kNone;
  };
  std::vector<Node> nodes_;
};

}  // namespace bert::text
