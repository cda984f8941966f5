// What splits a word into tokens: Unigram or byte-level BPE.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace bert::text {

// A token of a word: bytes [begin, end) of it.
struct Part {
  int32_t id = 0;
  uint32_t begin = 0, end = 0;
};

class SubwordModel {
 public:
  virtual ~SubwordModel() = default;

  // Appends the tokens of `word`, which is not empty. Takes time linear in its size (BPE: times its
  // logarithm). Any thread may call it.
  virtual void split(std::string_view word, std::vector<Part>& parts) const = 0;
};

}  // namespace bert::text
