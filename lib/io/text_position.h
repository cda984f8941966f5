// Moves forward through a text, counting characters and lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "json/utf8.h"

namespace bert::io {

class TextPosition {
 public:
  // The text is UTF-8. `line`: the number of its first line.
  TextPosition(std::string_view text, int64_t line) : text_(text), line_(line) {}

  // The line of the character, which is the one of the last call or a later one.
  int64_t line_of(int64_t character) {
    for (; at_ < text_.size(); ++at_) {
      const bool begins = json::count_code_points(text_.substr(at_, 1)) == 1;
      if (begins && character_ == character) break;
      character_ += begins ? 1 : 0;
      line_ += text_[at_] == '\n' ? 1 : 0;
    }
    return line_;
  }

 private:
  std::string_view text_;
  int64_t line_, character_ = 0;
  size_t at_ = 0;
};

}  // namespace bert::io
