// Reduces a vocabulary to some of its tokens, with the files of its tokenizer. A text of which all tokens are
// kept is split as before, unless it has unknown characters.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/tokenizer.h"

namespace bert::text {

// The tokens of a file with one per line. Throws Error if it repeats one, or has an empty line.
std::vector<std::string> read_tokens(const std::string& file);

// Up to three, in quotes: `"a", "b", "c", ...`
std::string first_names(std::span<const std::string> names);

class VocabularyCut {
 public:
  // `file` has one token per line, in the order of the new ids. Throws Error if it repeats a token, has one
  // that `tokenizer` or the first `rows` rows of the model's table lack, or lacks one that is special or was
  // added to the vocabulary.
  VocabularyCut(const std::string& file, const Tokenizer& tokenizer, int64_t rows);

  const std::string& file() const { return file_; }
  std::span<const std::string> tokens() const { return tokens_; }  // by new id
  std::span<const int32_t> kept() const { return kept_; }          // their old ids
  // The new id; the Error for a token that is not kept names it after `what`.
  int32_t id_of(int64_t old, std::string_view what) const;
  bool has(std::string_view token) const;

 private:
  std::string file_;
  std::vector<std::string> tokens_;
  std::vector<int32_t> kept_;
  std::vector<std::pair<int32_t, int32_t>> ids_;  // old, new; sorted
  std::vector<std::string_view> sorted_;          // tokens_
};

// The tokenizer with the kept tokens alone, for WordPiece.
Tokenizer cut_wordpiece(const Tokenizer& tokenizer, const VocabularyCut& cut);

// The text of a tokenizer.json with the kept tokens alone. All that does not depend on them stays as it is.
// `path` is used in messages. Throws Error if a token of BPE is kept, but not those that it is merged from.
std::string cut_tokenizer_json(const std::string& path, std::string_view text, const VocabularyCut& cut);

// The text of a tokenizer.json that neither truncates nor pads.
std::string without_lengths(const std::string& path, std::string_view text);

// The text of a tokenizer_config.json with the new ids.
std::string cut_tokenizer_config(const std::string& path, std::string_view text, const VocabularyCut& cut);

}  // namespace bert::text
