// Puts tokens together to a text, as Hugging Face's WordPiece decoder does.
#pragma once

#include <string>
#include <string_view>

namespace bert::text {

class Decoder {
 public:
  // Appends to `text`, which must live as long as this. `cleanup` works on one token at a time, as there: "
  // do not" is never one token, so it never becomes " don't".
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
