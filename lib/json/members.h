// Positions of the members of a JSON object in its text, for replacing some and keeping all other bytes.
#pragma once

#include <string>
#include <string_view>

namespace bert::json {

// Iterates over the members of an object. The text must be valid JSON, from "{" to "}".
class Members {
 public:
  explicit Members(std::string_view object) : text_(object) {}

  // A member is text[begin, end), surrounding white space included, commas excluded.
  struct Member {
    std::string_view key;  // unescaped; valid until the next call of next()
    size_t begin, end;
    size_t value_begin, value_end;
  };
  bool next(Member& member);  // false at the end

 private:
  std::string_view unescaped(std::string_view quoted);

  std::string_view text_;
  size_t at_ = 1;  // after "{" or a comma
  std::string key_;
};

}  // namespace bert::json
