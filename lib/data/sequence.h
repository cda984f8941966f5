// The tokens of a record with its special tokens around them, before any limit.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "data/features.h"
#include "io/json.h"
#include "text/tokenizer.h"

namespace bert::data {

// Puts [CLS] A [SEP] B [SEP] together in one pass: the tokenizer appends straight to the arrays that become
// the Features. Add A, perhaps B, then finish.
class Sequence {
 public:
  Sequence(const text::Tokenizer& tokenizer, const FeatureOptions& options);

  void add_text(std::string_view text);  // the prompt goes before A
  // Each word is tokenized by itself: words are its index in the array, offsets count in its own text. The
  // prompt's tokens go before them and are no word's. `field` is what messages call the array.
  void add_words(std::string_view field, const io::Json& array);

  // `prompt`: how many tokens at the beginning are [CLS] and the prompt.
  Features finish(int32_t prompt) &&;

 private:
  void reserve(size_t more);
  void begin_part();
  void end_part();
  void add_special(int32_t id);
  void add_word(std::string_view word, int32_t index);

  const text::Tokenizer& tokenizer_;
  const FeatureOptions& options_;
  text::Tokens tokens_;
  int64_t characters_ = 0;
  text::Span parts_[2];
  int parts_count_ = 0;
};

}  // namespace bert::data
