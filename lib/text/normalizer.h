// Normalizes a text and splits it into words in one pass, without storing the result. Each character is
// passed to a sink together with its byte range in the original text.
//
//   uncased "Été\u200B à 東京!"   letter e, letter t, letter e, space, letter a, space, alone 東, alone 京,
//   alone !
//
// A sink has the methods
//   size_t plain(const std::array<uint8_t, 256>& plain, std::string_view text, size_t at)
//                                   consumes the ASCII letters and digits starting at `at`; returns their end
//   void letter(std::string_view bytes, Span source)
//   void space(Span source)
//   void alone(std::string_view bytes, Span source)
#pragma once

#include <string_view>

#include "text/character_table.h"
#include "text/context.h"
#include "text/utf8.h"

namespace bert::text {

template <class Sink>
void send(const Unit& unit, Span source, Sink& sink) {
  switch (unit.action) {
    case Action::space:
      return sink.space(source);
    case Action::alone:
      return sink.alone(unit.text(), source);
    default:
      return sink.letter(unit.text(), source);
  }
}

// Processes the code point at `at`, which is not plain; returns where to continue.
template <class Sink>
size_t normalize_code_point(const CharacterTable& table, std::string_view text, size_t at, Sink& sink) {
  const CodePoint code = decode(text.data() + at);
  const size_t end = at + code.size;
  const Span source{static_cast<uint32_t>(at), static_cast<uint32_t>(end)};
  const CharacterTable::Entry entry = table.find(code.value);
  switch (entry.action) {
    case Action::letter:
      sink.letter(text.substr(at, code.size), source);
      break;
    case Action::space:
      sink.space(source);
      break;
    case Action::alone:
      sink.alone(text.substr(at, code.size), source);
      break;
    case Action::drop:
      break;
    case Action::expand:
      for (const Unit& unit : entry.units) send(unit, source, sink);
      break;
    case Action::reorder: {
      const Reordered run = reorder(text, at, table.rules());
      for (const Placed& placed : run.placed) send(placed.unit, placed.source, sink);
      return run.end;
    }
    case Action::sigma:
      sink.letter(is_final_sigma(text, at, table.rules()) ? "ς" : "σ", source);
      break;
  }
  return end;
}

// `text` must be valid UTF-8.
template <class Sink>
void normalize(const CharacterTable& table, std::string_view text, Sink& sink) {
  for (size_t at = 0;;) {
    at = sink.plain(table.plain(), text, at);
    if (at == text.size()) return;
    at = normalize_code_point(table, text, at, sink);
  }
}

}  // namespace bert::text
