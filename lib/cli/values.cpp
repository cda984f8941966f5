// Parsing of option values: numbers, words and lists. Messages name the option.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>

#include "cli/app.h"

namespace bert::cli {
namespace {

template <class T>
T within(const std::string& name, T number, Range<T> range) {
  if (number < range.min) throw UsageError(name, " must be at least ", range.min);
  if (number > range.max) throw UsageError(name, " must be at most ", range.max);
  return number;
}

// "0.5", "64". Seven digits, since further digits of a float are noise.
std::string shown(double value) {
  char digits[32];
  const bool whole = value == std::trunc(value) && std::abs(value) < 1e15;
  const auto end =
      whole ? std::to_chars(digits, digits + sizeof digits, static_cast<int64_t>(value)).ptr
            : std::to_chars(digits, digits + sizeof digits, value, std::chars_format::general, 7).ptr;
  return std::string(digits, end);
}

}  // namespace

int64_t App::whole_number(const std::string& name, const std::string& value, Range<int64_t> range) {
  int64_t number = 0;
  const char* end = value.data() + value.size();
  const auto [rest, error] = std::from_chars(value.data(), end, number);
  if (rest != end || value.empty() || error == std::errc::invalid_argument)
    throw UsageError(name, " must be a whole number, not \"", value, "\"");
  if (error == std::errc::result_out_of_range) {
    if (value[0] == '-') throw UsageError(name, " must be at least ", range.min);
    throw UsageError(name, " must be at most ", range.max);
  }
  return within(name, number, range);
}

double App::real_number(const std::string& name, const std::string& value, Range<double> range) {
  double number = 0;
  const char* end = value.data() + value.size();
  const auto [rest, error] = std::from_chars(value.data(), end, number);
  if (rest != end || error != std::errc() || !std::isfinite(number))
    throw UsageError(name, " must be a number, not \"", value, "\"");
  return within(name, number, range);
}

size_t App::index_of(const std::string& name, const std::string& value,
                     const std::vector<std::string>& words) {
  const auto found = std::find(words.begin(), words.end(), value);
  if (found == words.end())
    throw UsageError(name, " must be ", listed(words, "or"), ", not \"", value, "\"",
                     word_hint(value, words));
  return found - words.begin();
}

std::vector<std::string> App::split(const std::string& name, const std::string& value) {
  std::vector<std::string> items(1);
  for (size_t i = 0; i < value.size(); ++i) {
    if (value[i] == ',') {
      items.emplace_back();
    } else if (value[i] != '"' || !items.back().empty()) {
      items.back() += value[i];
    } else {
      const size_t end = value.find('"', i + 1);
      if (end == value.npos) throw UsageError(name, " has a quote that is not closed in \"", value, "\"");
      items.back() = value.substr(i + 1, end - i - 1);
      i = end;
    }
  }
  if (std::ranges::find(items, "") != items.end())
    throw UsageError(name, " has an empty item in \"", value, "\"");
  return items;
}

OptionText App::default_text(OptionText text, double value) {
  return default_text(std::move(text), shown(value));
}

// "Field that holds the text." -> "Field that holds the text (default text)."
OptionText App::default_text(OptionText text, const std::string& value) {
  if (value.empty()) return text;
  if (text.help.ends_with('.')) text.help.pop_back();
  text.help += " (default " + value + ").";
  return text;
}

OptionText App::choice_text(OptionText text, const std::vector<std::string>& words,
                            const std::string& present) {
  text.value.clear();
  text.words = words;
  for (const std::string& word : words) text.value += (text.value.empty() ? "" : "|") + word;
  return default_text(std::move(text), present);
}

}  // namespace bert::cli
