// The name that someone meant who typed another one, for error messages.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace bert {

// The number of characters to insert, delete or replace, or of neighbors to swap (optimal string alignment).
size_t edit_distance(std::string_view a, std::string_view b);

// The name that is spelled most like `unknown`: equal but for case, '-' and '_', else with at most a quarter
// of the characters changed, rounded up; none of one or two characters, since l1 is not l2. The first of
// equally good ones; "" if there is none.
std::string nearest_name(std::string_view unknown, std::span<const std::string> names);

// As one word of a command, in quotes if it needs them: $'a\nb' with control characters, for bash and zsh.
std::string shell_word(std::string_view text);

std::string lower_case(std::string_view ascii);

// Whether other programs write this where there is nothing, or an error of a formula: "nan", "#N/A".
bool is_missing_value(std::string_view text);

// `; did you mean "label"?` for nearest_name(), or "" if there is none.
std::string did_you_mean(std::string_view unknown, std::span<const std::string> names);

}  // namespace bert
