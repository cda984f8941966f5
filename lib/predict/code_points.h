// Access to a text by code points.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "text/tokenizer.h"

namespace bert::predict {

class CodePoints {
 public:
  explicit CodePoints(std::string_view text) {  // valid UTF-8
    begins_.reserve(text.size() + 1);
    for (uint32_t i = 0; i < text.size(); ++i) {
      if ((text[i] & 0xC0) != 0x80) begins_.push_back(i);
    }
    begins_.push_back(static_cast<uint32_t>(text.size()));
  }

  text::Span bytes(text::Span code_points) const {
    return {begins_[code_points.begin], begins_[code_points.end]};
  }

 private:
  std::vector<uint32_t> begins_;  // of each code point, and of the end
};

}  // namespace bert::predict
