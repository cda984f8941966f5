#include <unicode/uchar.h>

#include <array>

#include "text/bpe.h"
#include "text/characters.h"
#include "text/utf8.h"

namespace bert::text {
namespace {

enum class Gpt2Class : uint8_t { letter, number, space, other };

Gpt2Class class_of_code_point(char32_t c) {
  const uint32_t category = U_GET_GC_MASK(static_cast<UChar32>(c));
  if ((category & U_GC_L_MASK) != 0) return Gpt2Class::letter;
  if ((category & U_GC_N_MASK) != 0) return Gpt2Class::number;
  return is_white_space(c) ? Gpt2Class::space : Gpt2Class::other;
}

struct Classified {
  Gpt2Class kind;
  uint32_t size;
};

constexpr std::array<Gpt2Class, 128> kAsciiClasses = [] {
  std::array<Gpt2Class, 128> classes;
  for (size_t c = 0; c < classes.size(); ++c) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool space = c == ' ' || (c >= '\t' && c <= '\r');
    classes[c] = letter                 ? Gpt2Class::letter
                 : c >= '0' && c <= '9' ? Gpt2Class::number
                 : space                ? Gpt2Class::space
                                        : Gpt2Class::other;
  }
  return classes;
}();

inline Classified class_at(std::string_view text, size_t at) {
  const auto byte = static_cast<uint8_t>(text[at]);
  if (byte < kAsciiClasses.size()) return {kAsciiClasses[byte], 1};
  const CodePoint code = decode(text.data() + at);
  return {class_of_code_point(code.value), code.size};
}

size_t contraction_size(std::string_view text) {
  for (const std::string_view ending : {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"})
    if (text.starts_with(ending)) return ending.size();
  return 0;
}

}  // namespace

size_t gpt2_word_end(std::string_view text, size_t at) {
  if (text[at] == '\'') {
    if (const size_t size = contraction_size(text.substr(at)); size > 0) return at + size;
  }
  Classified first = class_at(text, at);
  size_t end = at + first.size;
  if (text[at] == ' ' && end < text.size() && class_at(text, end).kind != Gpt2Class::space) {
    first = class_at(text, end);
    end += first.size;
  }
  size_t last = at;  // where the last character of the run begins
  while (end < text.size()) {
    const auto [kind, size] = class_at(text, end);
    if (kind != first.kind) break;
    last = end;
    end += size;
  }
  // White space leaves its last character to the word that follows.
  const bool leaves = first.kind == Gpt2Class::space && end < text.size() && last > at;
  return leaves ? last : end;
}

}  // namespace bert::text
