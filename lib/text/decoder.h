// Joins tokens into text, like Hugging Face's WordPiece decoder.
#pragma once

#include <string>
#include <string_view>

namespace bert::text {

class Decoder {
 public:
  // Appends to `text`, which must outlive this object. As in Hugging Face, `cleanup` works on one token at a
  // time: since " do not" is never a single token, it never becomes " don't".
  Decoder(std::string_view prefix, bool cleanup, std::string& text)
      : prefix_(prefix), cleanup_(cleanup), text_(text) {}

  void add(std::string_view token);

 private:
  std::string_view prefix_;
  bool cleanup_;
  bool first_ = true;
  std::string& text_;
};

}  // namespace bert::text
