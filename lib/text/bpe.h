// Byte-level BPE (Radford et al. 2019, "Language Models are Unsupervised Multitask Learners", section 2.2):
// the bytes of a word are its first tokens; then the adjacent pair that was learned first is merged, from
// left to right, until no pair can be.
//
// Vocabularies write a byte as a printable character: A as "A", the space as "Ġ", 0xC3 as "Ã".
#pragma once

#include <array>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "text/composition.h"
#include "text/subword_model.h"

namespace bert::text {

class Bpe : public SubwordModel {
 public:
  // `subwords` by id. Throws Error if a byte (of byte-level BPE) or a part of a merge is not among them.
  Bpe(std::span<const std::string> subwords, BpeData data);

  void split(std::string_view word, std::vector<Part>& parts) const override;

 private:
  struct Merge {
    uint64_t pair = kNoPair;
    uint32_t rank = kNoRank;
    int32_t id = 0;
  };
  static constexpr uint64_t kNoPair = ~uint64_t{0};
  static constexpr uint32_t kNoRank = ~uint32_t{0};

  const Merge& find(int32_t first, int32_t second) const;
  void add_symbols(std::string_view word, std::vector<Part>& parts) const;
  void merge_few(std::vector<Part>& parts, size_t first) const;
  void merge_many(std::vector<Part>& parts, size_t first) const;

  std::array<int32_t, 256> bytes_ = {};
  std::unordered_map<char32_t, int32_t> characters_;
  BpeData data_;               // without the merges
  std::vector<Merge> merges_;  // a hash table with open addressing
};

// The character that stands for each byte, in UTF-8.
const std::array<std::string, 256>& byte_characters();

// Appends the bytes that the characters of a token stand for; the token itself if one stands for none.
void append_bytes_of(std::string_view token, std::string& bytes);

// End of the word that starts at `at`, by the pattern of GPT-2:
// 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
size_t gpt2_word_end(std::string_view text, size_t at);

}  // namespace bert::text
