// What is wrong with a text that simdjson has refused, for messages and repair. Slow and simple.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace bert::json {

// The first violation of JSON's grammar (RFC 8259).
struct Fault {
  enum class Kind { other, incomplete, half_surrogate };  // incomplete: the text may go on elsewhere

  size_t at;  // offset in the text
  std::string what;
  Kind kind = Kind::other;
};
std::optional<Fault> find_fault(std::string_view text);

// `column 17`, counted in code points from 1; `line 2, column 5` if line ends precede it.
std::string position_of(std::string_view text, size_t at);

// Whether `token` is a number of JSON, of any size.
bool is_number(std::string_view token);

// Replaces escapes of single surrogates, such as \ud800, by \ufffd. Other bytes stay as they are.
std::string repair_surrogates(std::string_view text);

}  // namespace bert::json
