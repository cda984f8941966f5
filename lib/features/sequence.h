// Tokens of a record with special tokens, before any limit.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "features/features.h"
#include "json/json.h"
#include "text/tokenizer.h"

namespace bert::features {

// Token type of B and the [SEP] after it.
int32_t second_type(const text::Tokenizer& tokenizer);

// Builds [CLS] A [SEP] B [SEP], or the tokenizer's other layout of a pair, in one pass; the tokenizer appends
// directly to the arrays of the Features. Add A, optionally B, then call finish.
class Sequence {
 public:
  Sequence(const text::Tokenizer& tokenizer, const FeatureOptions& options);

  void add_text(std::string_view text);  // the prompt is inserted before A
  // Tokenizes each word separately. Word ids are indexes in the array, and offsets refer to the word's own
  // text. The prompt's tokens come first and have no word id. `field` names the array in messages.
  void add_words(std::string_view field, const json::Value& array);
  void add_words(std::span<const std::string_view> words);

  // `prompt`: length of [CLS] and the prompt, in tokens.
  Features finish(int32_t prompt) &&;

 private:
  void reserve(size_t more);
  void begin_part();
  void end_part();
  enum class Special { cls, sep };
  void add_special(Special special);
  void add_word(std::string_view word, int32_t index);

  const text::Tokenizer& tokenizer_;
  const FeatureOptions& options_;
  text::Tokens tokens_;
  int64_t characters_ = 0;
  text::Span parts_[2];
  int parts_count_ = 0;
};

}  // namespace bert::features
