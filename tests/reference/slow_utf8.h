// UTF-8 by enumeration: every code point is encoded once, and bytes that start none of the encodings are
// ill-formed. Slow reference for io/utf8.
#pragma once

#include <optional>
#include <string>
#include <unordered_set>

namespace bert::reference {

class SlowUtf8 {
 public:
  SlowUtf8() {
    for (unsigned code = 0; code < 0x110000; ++code) {
      if (code >= 0xd800 && code < 0xe000) continue;
      const std::string text = encode(code);
      for (size_t size = 1; size < text.size(); ++size) beginnings_.insert(text.substr(0, size));
      if (text.size() < 4) whole_.insert(text);
    }
  }

  static std::string encode(unsigned code) {
    if (code < 0x80) return {static_cast<char>(code)};
    if (code < 0x800) return {byte(0xc0 | code >> 6), tail(code, 0)};
    if (code < 0x10000) return {byte(0xe0 | code >> 12), tail(code, 6), tail(code, 0)};
    return {byte(0xf0 | code >> 18), tail(code, 12), tail(code, 6), tail(code, 0)};
  }

  // `text` with U+FFFD for each maximal ill-formed part, and the position of the first one.
  std::string repair(const std::string& text, std::optional<size_t>& first_bad) const {
    std::string out;
    for (size_t at = 0; at < text.size();) {
      size_t size = 1;
      while (size < 4 && at + size <= text.size() && !is_whole(text.substr(at, size)) &&
             beginnings_.count(text.substr(at, size)) > 0) {
        ++size;
      }
      const std::string part = text.substr(at, size);
      if (part.size() == size && is_whole(part)) {
        out += part;
        at += size;
        continue;
      }
      if (!first_bad) first_bad = at;
      out += "\xef\xbf\xbd";
      at += std::max<size_t>(1, size - 1);  // the last byte is the one that does not fit
    }
    return out;
  }

 private:
  static char byte(unsigned value) { return static_cast<char>(value); }
  static char tail(unsigned code, unsigned shift) { return byte(0x80 | (code >> shift & 63)); }
  bool is_whole(const std::string& text) const {
    if (text.size() < 4) return whole_.count(text) > 0;
    const auto last = static_cast<unsigned char>(text[3]);
    return beginnings_.count(text.substr(0, 3)) > 0 && whole_.count(text.substr(0, 3)) == 0 && last >= 0x80 &&
           last < 0xc0;
  }

  std::unordered_set<std::string> beginnings_, whole_;
};

}  // namespace bert::reference
