// A text in words, and how its tokens and windows belong to them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/window_tokens.h"
#include "task/task.h"

namespace bert::task {

// A record of tag: its words came with it, or are found in its text.
class TaggedWords : public Reading {
 public:
  static std::unique_ptr<TaggedWords> of_words(std::vector<data::Features> windows,
                                               std::vector<std::string> words);
  // Words are the tokens, special ones left out.
  static std::unique_ptr<TaggedWords> of_tokens(std::vector<data::Features> windows,
                                                const text::Tokenizer& tokenizer);
  static std::unique_ptr<TaggedWords> of_text(std::vector<data::Features> windows, std::string text);

  bool found() const { return found_; }  // words did not come with the record
  const std::vector<std::string>& words() const { return words_; }

  // The rows of each word's tokens, each from the window in which the token has most context; none for a word
  // without tokens. Windows must have been read.
  std::vector<std::vector<const Row*>> rows() const;

  // Words [begin, end): as they stand in the text, or with a space between; and where, in code points of the
  // text, or as they are counted.
  std::string text_of(size_t begin, size_t end) const;
  text::Span place_of(size_t begin, size_t end) const;

 private:
  void set_windows(std::vector<data::Features> features);
  void find_words(std::span<const text::Span> offsets);

  bool found_ = true;
  std::optional<std::string> text_;  // in which words have their places
  std::vector<std::string> words_;
  std::vector<text::Span> places_;              // of each word, in code points; of a text
  std::vector<text::Span> bytes_;               // the same in bytes
  std::vector<int32_t> token_words_;            // the word of each token, ascending
  std::vector<data::TokenPlace> token_places_;  // and where it is read
};

}  // namespace bert::task
