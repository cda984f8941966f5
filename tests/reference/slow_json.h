// JSON objects parsed one character at a time according to RFC 8259: slow reference for json/json and
// json/members.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace bert::reference {

struct SlowMember {
  std::string key;                  // unescaped
  std::string before;               // the text from the end of the last comma to the value
  std::string value;                // as written
  std::string after;                // white space up to the comma or brace
  std::optional<std::string> text;  // unescaped, if it is a string
};

class SlowJson {
 public:
  explicit SlowJson(std::string text) : text_(std::move(text)) {}

  // The members of the object, which is the whole text apart from white space; nullopt if the text is not
  // valid JSON. `kind` is the type of the value.
  std::optional<std::vector<SlowMember>> object(char& kind) {
    at_ = 0;
    white();
    kind = peek();
    std::vector<SlowMember> members;
    const bool valid = kind == '{' ? read_object(&members) : value();
    white();
    if (!valid || at_ != text_.size()) return std::nullopt;
    return members;
  }

 private:
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void white() {
    while (take(' ') || take('\t') || take('\n') || take('\r')) {
    }
  }
  bool word(const std::string& expected) {
    if (text_.compare(at_, expected.size(), expected) != 0) return false;
    at_ += expected.size();
    return true;
  }
  bool digits() {
    const size_t begin = at_;
    while (peek() >= '0' && peek() <= '9') ++at_;
    return at_ > begin;
  }
  bool number() {
    take('-');
    if (!take('0') && !digits()) return false;
    if (take('.') && !digits()) return false;
    if (take('e') || take('E')) {
      if (!take('+')) take('-');
      if (!digits()) return false;
    }
    return true;
  }

  bool hex(unsigned& unit) {
    unit = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
      const char c = peek();
      const std::string all = "0123456789abcdef";
      const size_t digit = all.find(static_cast<char>(c >= 'A' && c <= 'F' ? c + 32 : c));
      if (digit == std::string::npos || c == '\0') return false;
      unit = unit * 16 + static_cast<unsigned>(digit);
    }
    return true;
  }
  bool escape(std::string& out) {
    const std::string from = "\"\\/bfnrt", to = "\"\\/\b\f\n\r\t";
    const size_t i = from.find(peek());
    if (peek() != '\0' && i != std::string::npos) {
      ++at_;
      out += to[i];
      return true;
    }
    unsigned code = 0, low = 0;
    if (!take('u') || !hex(code)) return false;
    if (code >= 0xdc00 && code < 0xe000) return false;
    if (code >= 0xd800 && code < 0xdc00) {
      if (!take('\\') || !take('u') || !hex(low) || low < 0xdc00 || low >= 0xe000) return false;
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    append_utf8(out, code);
    return true;
  }
  static void append_utf8(std::string& out, unsigned code) {
    const auto add = [&](unsigned byte) { out += static_cast<char>(byte); };
    if (code < 0x80) return add(code);
    if (code < 0x800) {
      add(0xc0 | code >> 6);
    } else if (code < 0x10000) {
      add(0xe0 | code >> 12);
      add(0x80 | (code >> 6 & 63));
    } else {
      add(0xf0 | code >> 18);
      add(0x80 | (code >> 12 & 63));
      add(0x80 | (code >> 6 & 63));
    }
    add(0x80 | (code & 63));
  }
  bool string(std::string& out) {
    if (!take('"')) return false;
    while (at_ < text_.size()) {
      if (take('"')) return true;
      if (take('\\')) {
        if (!escape(out)) return false;
      } else if (static_cast<unsigned char>(peek()) < 0x20) {
        return false;
      } else {
        out += text_[at_++];
      }
    }
    return false;
  }

  bool value() {
    std::string ignored;
    switch (peek()) {
      case '{':
        return read_object(nullptr);
      case '[':
        return array();
      case '"':
        return string(ignored);
      case 't':
        return word("true");
      case 'f':
        return word("false");
      case 'n':
        return word("null");
      default:
        return number();
    }
  }
  bool array() {
    take('[');
    white();
    if (take(']')) return true;
    do {
      white();
      if (!value()) return false;
      white();
    } while (take(','));
    return take(']');
  }
  bool read_object(std::vector<SlowMember>* members) {
    take('{');
    size_t begin = at_;
    white();
    if (take('}')) return true;
    do {
      SlowMember member;
      begin = text_[at_ - 1] == ',' ? at_ : begin;
      white();
      if (!string(member.key)) return false;
      white();
      if (!take(':')) return false;
      white();
      const size_t value_begin = at_;
      std::string text;
      if (peek() == '"' ? !string(text) : !value()) return false;
      if (text_[value_begin] == '"') member.text = text;
      const size_t value_end = at_;
      white();
      member.before = text_.substr(begin, value_begin - begin);
      member.value = text_.substr(value_begin, value_end - value_begin);
      member.after = text_.substr(value_end, at_ - value_end);
      if (members != nullptr) members->push_back(member);
    } while (take(','));
    return take('}');
  }

  std::string text_;
  size_t at_ = 0;
};

}  // namespace bert::reference
