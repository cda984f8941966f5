#include "base/base64.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace bert {
namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr uint8_t kNone = 64;

constexpr std::array<uint8_t, 256> kValues = [] {
  std::array<uint8_t, 256> values{};
  values.fill(kNone);
  for (size_t i = 0; i < kAlphabet.size(); ++i)
    values[static_cast<unsigned char>(kAlphabet[i])] = static_cast<uint8_t>(i);
  return values;
}();

uint32_t value_of(char digit) { return kValues[static_cast<unsigned char>(digit)]; }

}  // namespace

void append_base64(std::string& out, std::span<const std::byte> bytes) {
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const size_t count = std::min<size_t>(3, bytes.size() - i);
    uint32_t bits = 0;  // 24, from the left
    for (size_t k = 0; k < count; ++k) bits |= std::to_integer<uint32_t>(bytes[i + k]) << (16 - 8 * k);
    for (size_t k = 0; k < 4; ++k) out += k <= count ? kAlphabet[(bits >> (18 - 6 * k)) & 63] : '=';
  }
}

bool decode_base64(std::string_view text, std::vector<std::byte>& bytes) {
  bytes.clear();
  if (text.size() % 4 != 0) return false;
  bytes.reserve(text.size() / 4 * 3);
  for (size_t i = 0; i < text.size(); i += 4) {
    const size_t padding = i + 4 < text.size() ? 0 : text[i + 3] != '=' ? 0 : text[i + 2] != '=' ? 1 : 2;
    uint32_t bits = 0;
    for (size_t k = 0; k < 4; ++k) {
      const uint32_t value = k < 4 - padding ? value_of(text[i + k]) : 0;
      if (value == kNone) return false;
      bits = bits << 6 | value;
    }
    if ((bits & ((uint32_t{1} << (8 * padding)) - 1)) != 0) return false;  // unused bits are 0
    for (size_t k = 0; k < 3 - padding; ++k) bytes.push_back(static_cast<std::byte>(bits >> (16 - 8 * k)));
  }
  return true;
}

}  // namespace bert
