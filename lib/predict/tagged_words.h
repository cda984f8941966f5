// The words of a record and their tokens in its windows.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "features/window_tokens.h"
#include "predict/predictor.h"

namespace bert::predict {

// A record for tag. Its words are given or found in its text.
class TaggedWords : public Reading {
 public:
  static std::unique_ptr<TaggedWords> of_words(std::vector<features::Features> windows,
                                               std::vector<std::string> words);
  // Each token is a word, except special tokens.
  static std::unique_ptr<TaggedWords> of_tokens(std::vector<features::Features> windows,
                                                const text::Tokenizer& tokenizer);
  static std::unique_ptr<TaggedWords> of_text(std::vector<features::Features> windows, std::string text);

  bool found() const { return found_; }  // false if the record gave its words
  const std::vector<std::string>& words() const { return words_; }

  // Rows of each word's tokens, each from the window that gives the token most context; empty for a word
  // without tokens. The rows of the windows must be set.
  std::vector<std::vector<const Row*>> rows() const;

  // Text and place of words [begin, end). If found in a text: the text between them, and code points of the
  // text. Otherwise: the words joined by spaces, and word indexes.
  std::string text_of(size_t begin, size_t end) const;
  text::Span place_of(size_t begin, size_t end) const;

 private:
  void set_windows(std::vector<features::Features> features);
  void find_words(std::span<const text::Span> offsets);

  bool found_ = true;
  std::optional<std::string> text_;  // the text the words were found in
  std::vector<std::string> words_;
  std::vector<text::Span> places_;                  // of each word, in code points of the text
  std::vector<text::Span> bytes_;                   // the same in bytes
  std::vector<int32_t> token_words_;                // word of each token, ascending
  std::vector<features::TokenPlace> token_places_;  // window and position that each token is read from
};

}  // namespace bert::predict
