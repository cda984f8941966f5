// The one exception of this program: what was found, where, and what was expected, as one line for a person.
#pragma once

#include <sstream>
#include <stdexcept>
#include <string>

namespace bert {

// Error("vocab.txt", ": line ", 7, " is empty"): the parts put together, numbers as the root locale writes
// them.
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

// What a person is told of an exception; those of the standard library do not say it well by themselves.
std::string message_of(const std::exception& error);

}  // namespace bert
