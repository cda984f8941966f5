// Where the members of a JSON object stand in its text, for changing some and leaving all else byte for byte.
#pragma once

#include <string>
#include <string_view>

namespace bert::io {

// Walks over the members of an object whose text is known to be valid JSON, from "{" to "}".
class JsonMembers {
 public:
  explicit JsonMembers(std::string_view object) : text_(object) {}

  // A member, with the white space around it, commas not included: text[begin, end).
  struct Member {
    std::string_view key;  // unescaped; valid until the next call of next()
    size_t begin, end;
    size_t value_begin, value_end;
  };
  bool next(Member& member);  // false when there are no more

 private:
  std::string_view unescaped(std::string_view quoted);

  std::string_view text_;
  size_t at_ = 1;  // after "{" or a comma
  std::string key_;
};

}  // namespace bert::io
