#include "json/syntax.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "json/utf8.h"

namespace bert::json {
namespace {

constexpr std::string_view kWhite = " \t\r\n";

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

bool is_high(uint32_t unit) { return unit >= 0xD800 && unit < 0xDC00; }
bool is_low(uint32_t unit) { return unit >= 0xDC00 && unit < 0xE000; }

// The code unit of the escape \uXXXX at `at`.
std::optional<uint32_t> unit_at(std::string_view text, size_t at) {
  constexpr size_t kSize = 6;
  if (text.size() < at + kSize || text[at] != '\\' || text[at + 1] != 'u') return std::nullopt;
  uint32_t unit = 0;
  const char* const end = text.data() + at + kSize;
  const auto read = std::from_chars(text.data() + at + 2, end, unit, 16);
  return read.ptr == end ? std::optional(unit) : std::nullopt;
}

// Whether the escape at `at` is a surrogate without its other half after it.
bool is_half(std::string_view text, size_t at) {
  const auto unit = unit_at(text, at);
  if (!unit || !(is_high(*unit) || is_low(*unit))) return false;
  return is_low(*unit) || !is_low(unit_at(text, at + 6).value_or(0));
}

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  std::optional<Fault> run() {
    for (;;) {
      at_ = std::min(text_.find_first_not_of(kWhite, at_), text_.size());
      if (at_ == text_.size()) {
        if (next_ == Next::separator && open_.empty()) return std::nullopt;
        return at_end();
      }
      if (auto fault = step(text_[at_])) return fault;
    }
  }

 private:
  using Result = std::optional<Fault>;
  enum class Next { value, key, colon, separator };

  Result wrong(std::string what) const { return Fault{.at = at_, .what = std::move(what)}; }

  Result at_end() const {
    if (open_.empty()) return wrong("it is empty");
    return Fault{
        .at = at_,
        .what = std::string("it ends before the closing ") + (open_.back() == '{' ? "brace" : "bracket"),
        .kind = Fault::Kind::incomplete};
  }

  Result step(char c) {
    switch (next_) {
      case Next::value:
        return value(c);
      case Next::key:
        return key(c);
      case Next::colon:
        if (c != ':') return wrong("a colon is missing");
        ++at_;
        next_ = Next::value;
        return std::nullopt;
      default:
        return separator(c);
    }
  }

  Result value(char c) {
    if (c == '{' || c == '[') return open(c);
    if (c == ']' && first_ && !open_.empty() && open_.back() == '[') return close();
    next_ = Next::separator;
    if (c == '"') return string();
    if (is_digit(c) || c == '-' || c == '+' || c == '.') return number();
    if (is_letter(c)) return word();
    if (c == '\'') return wrong("strings are in double quotes");
    if (c == ']' && !open_.empty() && open_.back() == '[')
      return wrong("a comma is before the closing bracket");
    if (c == ']' || c == '}' || c == ',' || c == ':') return wrong("a value is missing");
    return wrong("no value begins with this character");
  }

  Result key(char c) {
    if (c == '}') return first_ ? close() : wrong("a comma is before the closing brace");
    next_ = Next::colon;
    if (c == '"') return string();
    return wrong(c == ',' || c == ':' ? "a key is missing" : "a key in double quotes is expected");
  }

  Result separator(char c) {
    if (open_.empty()) return wrong("more text follows the value");
    const bool object = open_.back() == '{';
    if (c == (object ? '}' : ']')) return close();
    if (c == '}' || c == ']') return wrong(object ? "a brace is not closed" : "a bracket is not closed");
    if (c == ':' || c == '=') return wrong("a comma is expected");
    if (c != ',') return wrong("a comma is missing");
    ++at_;
    next_ = object ? Next::key : Next::value;
    first_ = false;
    return std::nullopt;
  }

  Result open(char c) {
    open_ += c;
    ++at_;
    next_ = c == '{' ? Next::key : Next::value;
    first_ = true;
    return std::nullopt;
  }

  Result close() {
    open_.pop_back();
    ++at_;
    next_ = Next::separator;
    return std::nullopt;
  }

  Result string() {
    const size_t begin = at_++;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '"') {
        ++at_;
        return std::nullopt;
      }
      if (static_cast<unsigned char>(c) < 0x20) return wrong("a string has an unescaped control character");
      if (c != '\\') continue;
      if (auto fault = escape()) return fault;
    }
    return Fault{.at = begin, .what = "a string has no closing quote"};
  }

  // Moves to the last character of the escape.
  Result escape() {
    const char c = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
    if (is_half(text_, at_))
      return Fault{.at = at_,
                   .what = std::string(text_.substr(at_, 6)) + " is half of a surrogate pair",
                   .kind = Fault::Kind::half_surrogate};
    if (const auto unit = unit_at(text_, at_)) {
      at_ += is_high(*unit) ? 11 : 5;
      return std::nullopt;
    }
    if (std::string_view("\"\\/bfnrt").find(c) == std::string_view::npos)
      return wrong("a string has an invalid escape sequence; write a backslash as \\\\");
    ++at_;
    return std::nullopt;
  }

  Result number() {
    const auto token = text_.substr(at_, text_.find_first_not_of("0123456789+-.eE", at_) - at_);
    if (!is_number(token)) return wrong("a number is malformed");
    at_ += token.size();
    return std::nullopt;
  }

  Result word() {
    size_t end = at_;
    while (end < text_.size() && (is_letter(text_[end]) || is_digit(text_[end]))) ++end;
    const std::string word(text_.substr(at_, end - at_));
    constexpr size_t kShown = 20;
    if (word == "NaN" || word == "Infinity" || word == "None")
      return wrong(word + " is not JSON; write null");
    if (word != "true" && word != "false" && word != "null")
      return wrong('"' + word.substr(0, kShown) + "\" is not true, false, null or a string in double quotes");
    at_ = end;
    return std::nullopt;
  }

  std::string_view text_;
  size_t at_ = 0;
  std::string open_;  // braces and brackets that are not closed
  Next next_ = Next::value;
  bool first_ = false;  // nothing follows the last opening brace or bracket yet
};

}  // namespace

std::optional<Fault> find_fault(std::string_view text) { return Scanner(text).run(); }

std::string position_of(std::string_view text, size_t at) {
  const auto before = text.substr(0, at);
  const auto lines = std::ranges::count(before, '\n');
  const auto line = before.substr(before.rfind('\n') + 1);
  const auto column = 1 + count_code_points(line);
  const std::string text_of_column = "column " + std::to_string(column);
  return lines == 0 ? text_of_column : "line " + std::to_string(lines + 1) + ", " + text_of_column;
}

bool is_number(std::string_view token) {
  const auto digits = [&token] {
    const size_t count = std::min(token.find_first_not_of("0123456789"), token.size());
    token.remove_prefix(count);
    return count;
  };
  if (token.starts_with('-')) token.remove_prefix(1);
  const bool zero = token.starts_with('0');
  const size_t whole = digits();
  if (whole == 0 || (zero && whole > 1)) return false;
  if (token.starts_with('.')) {
    token.remove_prefix(1);
    if (digits() == 0) return false;
  }
  if (token.starts_with('e') || token.starts_with('E')) {
    token.remove_prefix(1);
    if (token.starts_with('+') || token.starts_with('-')) token.remove_prefix(1);
    if (digits() == 0) return false;
  }
  return token.empty();
}

std::string repair_surrogates(std::string_view text) {
  std::string repaired(text);
  for (size_t at = 0; (at = repaired.find('\\', at)) != std::string::npos;) {
    if (is_half(repaired, at)) {
      repaired.replace(at, 6, "\\ufffd");
      at += 6;
    } else {
      at += is_high(unit_at(repaired, at).value_or(0)) ? 12 : 2;
    }
  }
  return repaired;
}

}  // namespace bert::json
