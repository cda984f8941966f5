#include "predict/google_json.h"

#include <array>
#include <charconv>
#include <cmath>

#include "base/error.h"
#include "json/json.h"

namespace bert::predict {
namespace {

// Code point at text[i], which is valid UTF-8. Moves i past it.
uint32_t next_code_point(std::string_view text, size_t& i) {
  const auto byte = [&] { return static_cast<uint32_t>(static_cast<unsigned char>(text[i++])); };
  const uint32_t lead = byte();
  if (lead < 0x80) return lead;
  const int more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
  uint32_t code = lead & (0x3fu >> more);
  for (int k = 0; k < more; ++k) code = (code << 6) | (byte() & 0x3f);
  return code;
}

void append_escape(std::string& out, uint32_t unit) {
  constexpr char kHex[] = "0123456789abcdef";
  out += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) out += kHex[(unit >> shift) & 15];
}

void append_escaped(std::string& out, uint32_t code) {
  constexpr std::string_view kShort = "\b\f\n\r\t\"\\", kLetters = "bfnrt\"\\";
  if (code < 0x80) {
    if (const size_t i = kShort.find(static_cast<char>(code)); i != std::string_view::npos) {
      out += '\\';
      out += kLetters[i];
      return;
    }
    if (code >= 0x20 && code < 0x7f) {
      out += static_cast<char>(code);
      return;
    }
  }
  if (code >= 0x10000) {
    append_escape(out, 0xd800 + ((code - 0x10000) >> 10));
    code = 0xdc00 + ((code - 0x10000) & 0x3ff);
  }
  append_escape(out, code);
}

}  // namespace

void append_python_string(std::string& out, std::string_view text) {
  out += '"';
  for (size_t i = 0; i < text.size();) append_escaped(out, next_code_point(text, i));
  out += '"';
}

void append_python_number(std::string& out, float x, int precision) {
  if (!std::isfinite(x)) throw Error("a value is ", x, ", which JSON cannot represent");
  std::array<char, 128> text;
  char* const end = text.data() + text.size();
  auto written = std::to_chars(text.data(), end, static_cast<double>(x), std::chars_format::fixed, precision);
  double rounded = 0;
  std::from_chars(text.data(), written.ptr, rounded);
  // repr uses an exponent below 1e-4 and from 1e16 on; hidden states practically never reach 1e16.
  const bool small = rounded != 0 && std::abs(rounded) < 1e-4;
  const bool exponent = small || std::abs(rounded) >= 1e16;
  written = std::to_chars(text.data(), end, rounded,
                          exponent ? std::chars_format::scientific : std::chars_format::fixed);
  const std::string_view shortest(text.data(), static_cast<size_t>(written.ptr - text.data()));
  out += shortest;
  if (shortest.find_first_of(".e") == std::string_view::npos) out += ".0";
}

void begin_google_line(std::string& out, int64_t line) {
  out += "{\"linex_index\": ";
  json::append_integer(out, line);
  out += ", \"features\": [";
}

void append_google_token(std::string& out, std::string_view token, std::span<const GoogleLayer> layers,
                         bool first, int precision) {
  out += first ? "{\"token\": " : ", {\"token\": ";
  append_python_string(out, token);
  out += ", \"layers\": [";
  for (const GoogleLayer& layer : layers) {
    out += &layer == layers.data() ? "{\"index\": " : ", {\"index\": ";
    json::append_integer(out, layer.index);
    out += ", \"values\": [";
    for (const float& value : layer.values) {
      if (&value != layer.values.data()) out += ", ";
      append_python_number(out, value, precision);
    }
    out += "]}";
  }
  out += "]}";
}

void end_google_line(std::string& out) { out += "]}\n"; }

GoogleTexts google_texts(std::string_view line) {
  constexpr std::string_view kBetween = " ||| ", kWhite = " \t\r\n\f\v";
  const size_t begin = line.find_first_not_of(kWhite);
  if (begin == std::string_view::npos) return {};
  // Like the script's strip() before it splits.
  line = line.substr(begin, line.find_last_not_of(kWhite) + 1 - begin);
  const size_t at = line.rfind(kBetween);
  if (at == std::string_view::npos) return {.first = line};
  return {.first = line.substr(0, at), .second = line.substr(at + kBetween.size()), .pair = true};
}

}  // namespace bert::predict
