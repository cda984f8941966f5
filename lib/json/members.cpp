#include "json/members.h"

#include <cstdint>
#include <cstring>

#include "json/json.h"

namespace bert::json {
namespace {

bool is_json_white(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

size_t skip_white(std::string_view text, size_t at) {
  while (is_json_white(text[at])) ++at;
  return at;
}

// `at` is the position of the opening quote; returns the position after the closing one.
size_t skip_string(std::string_view text, size_t at) {
  for (++at;; ++at) {
    const void* quote = std::memchr(text.data() + at, '"', text.size() - at);
    at = static_cast<const char*>(quote) - text.data();
    size_t backslashes = 0;
    while (text[at - 1 - backslashes] == '\\') ++backslashes;
    if (backslashes % 2 == 0) return at + 1;
  }
}

// Whether none of eight bytes is a quote or a bracket, as far as is easy to see: digits, signs, commas and
// white space are below 0x40. Each byte is below 0x80 then, so that only a quote sets the top bit by
// borrowing (or makes the byte after it do so).
bool is_plain(const char* eight) {
  constexpr uint64_t kOnes = 0x0101010101010101u;
  uint64_t word;
  std::memcpy(&word, eight, sizeof word);
  const uint64_t quote = (word ^ kOnes * '"') - kOnes;
  return (word & kOnes * 0xc0) == 0 && (quote & kOnes * 0x80) == 0;
}

size_t skip_value(std::string_view text, size_t at) {
  if (text[at] == '"') return skip_string(text, at);
  if (text[at] != '{' && text[at] != '[') return text.find_first_of(", \t\r\n}]", at);
  for (int depth = 0;;) {
    while (at + 8 <= text.size() && is_plain(text.data() + at)) at += 8;
    const char c = text[at];
    if (c == '"') {
      at = skip_string(text, at);
      continue;
    }
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    ++at;
    if (depth == 0) return at;
  }
}

}  // namespace

bool Members::next(Member& member) {
  if (at_ >= text_.size()) return false;
  member.begin = at_;
  const size_t key = skip_white(text_, at_);
  if (text_[key] == '}') return false;  // an empty object
  const size_t key_end = skip_string(text_, key);
  member.key = unescaped(text_.substr(key, key_end - key));
  member.value_begin = skip_white(text_, skip_white(text_, key_end) + 1);
  member.value_end = skip_value(text_, member.value_begin);
  member.end = skip_white(text_, member.value_end);
  at_ = text_[member.end] == ',' ? member.end + 1 : text_.size();
  return true;
}

std::string_view Members::unescaped(std::string_view quoted) {
  const auto inside = quoted.substr(1, quoted.size() - 2);
  if (inside.find('\\') == std::string_view::npos) return inside;
  key_ = Document().parse(quoted).string();
  return key_;
}

}  // namespace bert::json
