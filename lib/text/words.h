// The words of a text as the tokenizer sees them before WordPiece: normalized and split at white space,
// punctuation and ideographs. A vocabulary learned from them matches the tokenizer.
#pragma once

#include <string>
#include <string_view>

#include "text/character_table.h"
#include "text/normalizer.h"

namespace bert::text {

// A sink for normalize() that calls take(word) for each word of at most `max_chars` code points; longer words
// become [UNK] with any vocabulary. The view is valid during the call.
template <class Take>
class WordSink {
 public:
  WordSink(size_t max_chars, Take take) : max_chars_(max_chars), take_(std::move(take)) {}

  size_t plain(const std::array<uint8_t, 256>& plain, std::string_view text, size_t at) {
    for (; at < text.size(); ++at) {
      const auto byte = static_cast<char>(plain[static_cast<uint8_t>(text[at])]);
      if (byte == 0) break;
      word_ += byte;
      ++chars_;
    }
    return at;
  }

  void letter(std::string_view bytes, Span) {
    word_ += bytes;
    ++chars_;
  }

  void space(Span) { end_word(); }

  void alone(std::string_view bytes, Span source) {
    end_word();
    letter(bytes, source);
    end_word();
  }

  void end_word() {
    if (chars_ > 0 && chars_ <= max_chars_) take_(std::string_view(word_));
    word_.clear();
    chars_ = 0;
  }

 private:
  const size_t max_chars_;
  Take take_;
  std::string word_;
  size_t chars_ = 0;  // code points
};

// `text` must be valid UTF-8. Literal special tokens such as "[MASK]" are not recognized.
template <class Take>
void for_each_word(const CharacterTable& table, std::string_view text, size_t max_chars, Take take) {
  WordSink<Take> sink(max_chars, std::move(take));
  normalize(table, text, sink);
  sink.end_word();
}

}  // namespace bert::text
