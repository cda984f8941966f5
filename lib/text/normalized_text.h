// A sink for normalize() that stores the normalized text, so that tokens can be searched in it.
#pragma once

#include <string>
#include <vector>

#include "text/normalizer.h"

namespace bert::text {

class NormalizedText {
 public:
  NormalizedText(std::string_view text, const CharacterTable& table)
      : original_(text), rules_(table.rules()) {
    normalize(table, text, *this);
  }

  const std::string& text() const { return text_; }

  // Passes the characters of text() in [begin, end) to another sink. Both must be at code point boundaries.
  template <class Sink>
  void replay(size_t begin, size_t end, Sink& sink) const;

  // Byte range in the original text that [begin, end) of text() came from.
  Span source(size_t begin, size_t end) const;

  // Called by normalize().
  size_t plain(const std::array<uint8_t, 256>& plain, std::string_view text, size_t at);
  void letter(std::string_view bytes, Span source) { add(Action::letter, bytes, source); }
  void alone(std::string_view bytes, Span source);
  void space(Span source);

 private:
  struct Character {
    size_t begin;  // in text_
    Action action;
    Span source;
  };

  void add(Action action, std::string_view bytes, Span source);
  std::vector<Character>::const_iterator character_at(size_t begin) const;

  std::string_view original_;
  const CharacterRules& rules_;
  std::string text_;
  std::vector<Character> characters_;
};

template <class Sink>
void NormalizedText::replay(size_t begin, size_t end, Sink& sink) const {
  for (auto at = character_at(begin); at != characters_.end() && at->begin < end; ++at) {
    const size_t next = at + 1 == characters_.end() ? text_.size() : (at + 1)->begin;
    Unit unit{.action = at->action, .size = static_cast<uint8_t>(next - at->begin)};
    text_.copy(unit.bytes, unit.size, at->begin);
    send(unit, at->source, sink);
  }
}

}  // namespace bert::text
