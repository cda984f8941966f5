#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "json/json.h"
#include "json/utf8.h"

namespace bert::json {
namespace {

// Whether one of eight bytes needs an escape: below 0x20, a quote or a backslash. Each test sets the top bit
// of a matching byte by borrowing (a borrow may add false hits in higher bytes but never hides one); bytes
// from 0x80 are masked out.
bool has_special(const char* eight) {
  constexpr uint64_t kOnes = 0x0101010101010101u;
  uint64_t word;
  std::memcpy(&word, eight, sizeof word);
  const uint64_t control = word - kOnes * 0x20;
  const uint64_t quote = (word ^ kOnes * '"') - kOnes;
  const uint64_t backslash = (word ^ kOnes * '\\') - kOnes;
  return ((control | quote | backslash) & ~word & kOnes * 0x80) != 0;
}

}  // namespace

void append_string(std::string& out, std::string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  out += '"';
  size_t plain = 0;  // text[plain, i) is still to be copied unchanged
  for (size_t i = 0; i < text.size(); ++i) {
    while (i + 8 <= text.size() && !has_special(text.data() + i)) i += 8;
    if (i == text.size()) break;
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte >= 0x20 && byte != '"' && byte != '\\') continue;
    out.append(text, plain, i - plain);
    plain = i + 1;
    out += '\\';
    switch (byte) {
      case '\n':
        out += 'n';
        break;
      case '\r':
        out += 'r';
        break;
      case '\t':
        out += 't';
        break;
      case '"':
      case '\\':
        out += static_cast<char>(byte);
        break;
      default:
        out += "u00";
        out += kHex[byte >> 4];
        out += kHex[byte & 15];
    }
  }
  out.append(text, plain);
  out += '"';
}

std::string in_quotes(std::string_view name) {
  constexpr size_t kLongest = 300;
  std::string text;
  append_string(text, repair_utf8(name.substr(0, kLongest)));
  if (name.size() > kLongest) text += "...";
  return text;
}

void append_integer(std::string& out, int64_t value) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  out.append(digits, end);
}

void append_integers(std::string& out, std::span<const int32_t> values) {
  constexpr size_t kMost = sizeof "-2147483648,";
  char part[1024];
  char *at = part, *const end = part + sizeof part;
  *at++ = '[';
  for (size_t i = 0; i < values.size(); ++i) {
    if (static_cast<size_t>(end - at) < kMost) out.append(part, std::exchange(at, part));
    if (i > 0) *at++ = ',';
    at = std::to_chars(at, end, values[i]).ptr;
  }
  *at++ = ']';
  out.append(part, at);
}

void append_strings(std::string& out, std::span<const std::string> values) {
  append_array(out, values, append_string);
}

std::string& Object::key(std::string_view name) {
  if (!empty_) out_ += ',';
  empty_ = false;
  append_string(out_ += line_, name);
  return out_ += line_.empty() ? ":" : ": ";
}

void Object::end() {
  if (!empty_ && !line_.empty()) out_.append(line_, 0, line_.size() - 2);
  out_ += '}';
}

namespace {

template <class Float>
void append_decimal(std::string& out, Float value, int precision) {
  if (!std::isfinite(value)) throw Error("a result is ", value, ", which JSON cannot represent");
  char digits[384];  // holds the largest f64 with 20 digits after the decimal point
  if (precision < 0) {
    out.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
    return;
  }
  const char* end =
      std::to_chars(digits, digits + sizeof digits, value, std::chars_format::fixed, precision).ptr;
  if (precision > 0) {
    while (end[-1] == '0') --end;
    if (end[-1] == '.') --end;
  }
  const std::string_view text(digits, end - digits);
  out += text == "-0" ? "0" : text;
}

}  // namespace

void append_number(std::string& out, float value, int precision) { append_decimal(out, value, precision); }
void append_double(std::string& out, double value, int precision) { append_decimal(out, value, precision); }

}  // namespace bert::json
