#include "text/normalized_text.h"

#include <algorithm>

#include "text/characters.h"

namespace bert::text {

void NormalizedText::add(Action action, std::string_view bytes, Span source) {
  characters_.push_back({.begin = text_.size(), .action = action, .source = source});
  text_ += bytes;
}

size_t NormalizedText::plain(const std::array<uint8_t, 256>& plain, std::string_view text, size_t at) {
  for (; at < text.size(); ++at) {
    const auto byte = static_cast<char>(plain[static_cast<uint8_t>(text[at])]);
    if (byte == 0) break;
    letter({&byte, 1}, {static_cast<uint32_t>(at), static_cast<uint32_t>(at + 1)});
  }
  return at;
}

// The spaces around an ideograph do not affect the words, but they affect the search for tokens.
void NormalizedText::alone(std::string_view bytes, Span source) {
  const bool spaced = rules_.ideographs && is_ideograph(decode(bytes.data()).value, rules_.compat);
  if (spaced) add(Action::space, " ", source);
  add(Action::alone, bytes, source);
  if (spaced) add(Action::space, " ", source);
}

// Cleaning turns all white space into U+0020. The spaces around an ideograph have the ideograph as source.
void NormalizedText::space(Span source) {
  const std::string_view bytes = original_.substr(source.begin, source.end - source.begin);
  const bool kept = !rules_.clean_text && is_white_space(decode(bytes.data()).value);
  add(Action::space, kept ? bytes : " ", source);
}

std::vector<NormalizedText::Character>::const_iterator NormalizedText::character_at(size_t begin) const {
  return std::lower_bound(characters_.begin(), characters_.end(), begin,
                          [](const Character& character, size_t at) { return character.begin < at; });
}

Span NormalizedText::source(size_t begin, size_t end) const {
  return {character_at(begin)->source.begin, (character_at(end) - 1)->source.end};
}

}  // namespace bert::text
