#include "text/python_text.h"

#include <unicode/uchar.h>

#include <algorithm>

#include "text/characters.h"
#include "text/context.h"
#include "text/utf8.h"

namespace bert::text {
namespace {

constexpr char32_t kSmallSigma = 0x3C3, kFinalSigma = 0x3C2;

}  // namespace

std::string python_lower(std::string_view text) {
  std::string lower;
  if (is_ascii(text)) {
    lower = text;
    for (char& c : lower) {
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return lower;
  }
  lower.reserve(text.size());
  const CharacterRules rules(TokenizerConfig{.clean_text = false, .compat = Compat::google});
  std::vector<char32_t> mapped;
  for (size_t at = 0; at < text.size();) {
    const CodePoint code = decode(text.data() + at);
    if (code.value == kCapitalSigma) {
      append(lower, is_final_sigma(text, at, rules) ? kFinalSigma : kSmallSigma);
    } else {
      mapped.clear();
      append_lowercase(code.value, Compat::google, mapped);
      for (const char32_t c : mapped) append(lower, c);
    }
    at += code.size;
  }
  return lower;
}

bool is_python_space(char32_t c) { return is_white_space(c) || (c >= 0x1C && c <= 0x1F); }

bool is_python_word(char32_t c) {
  if (c < 0x80) return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
  const auto code = static_cast<UChar32>(c);
  return u_isalpha(code) || u_getIntPropertyValue(code, UCHAR_NUMERIC_TYPE) != U_NT_NONE;
}

}  // namespace bert::text
