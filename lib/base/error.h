// The project's only exception type. The message is one line: what was found, where, and what was expected.
#pragma once

#include <cstdint>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace bert {

// Concatenates the parts, as in Error("vocab.txt", ": line ", 7, " is empty"). Numbers are written in the
// root locale.
class Error : public std::runtime_error {
 public:
  template <class... Parts>
  explicit Error(const Parts&... parts) : std::runtime_error(join(parts...)) {}

 private:
  template <class... Parts>
  static std::string join(const Parts&... parts) {
    std::ostringstream text;
    text.imbue(std::locale::classic());
    (text << ... << parts);
    return std::move(text).str();
  }
};

// An option's value is wrong, as only the library can tell. The exit code is 2.
class OptionError : public Error {
 public:
  using Error::Error;
};

// "1 record was", "2 records were".
std::string counted(int64_t count, std::string_view one, std::string_view many);

// "a, b or c", with the conjunction "or".
std::string listed(std::span<const std::string> words, std::string_view conjunction);

// The message shown to the user; replaces the unclear texts of standard library exceptions.
std::string message_of(const std::exception& error);

}  // namespace bert
