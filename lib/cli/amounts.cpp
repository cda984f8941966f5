#include "cli/amounts.h"

#include <charconv>
#include <cmath>
#include <string_view>

#include "cli/app.h"

namespace bert::cli {
namespace {

struct Unit {
  char letter;
  double seconds;
};
constexpr Unit kUnits[] = {{'d', 86400}, {'h', 3600}, {'m', 60}, {'s', 1}};

}  // namespace

double duration_s(const std::string& name, const std::string& value) {
  const char *at = value.data(), *end = at + value.size();
  double seconds = 0;
  for (const auto& unit : kUnits) {
    double number = 0;
    const auto [rest, error] = std::from_chars(at, end, number, std::chars_format::fixed);
    if (error != std::errc() || rest == end || *rest != unit.letter || !(number >= 0)) continue;
    seconds += number * unit.seconds;
    at = rest + 1;
  }
  if (at != end || !(seconds > 0) || !std::isfinite(seconds))
    throw UsageError(name, " must be a duration such as 45s, 90m or 1h30m, not \"", value, "\"");
  return seconds;
}

CountOrShare count_or_share(const std::string& name, const std::string& value) {
  const bool percent = value.ends_with('%');
  const char *begin = value.data(), *end = begin + value.size() - (percent ? 1 : 0);
  double number = 0;
  const auto [rest, error] = std::from_chars(begin, end, number, std::chars_format::fixed);
  if (rest != end || error != std::errc() || !(number >= 0) || !std::isfinite(number))
    throw UsageError(name, " must be a count or a share such as 0.1 or 10%, not \"", value, "\"");
  const bool share = percent || value.find('.') != std::string::npos;
  if (percent) number /= 100;
  if (share && number > 1) throw UsageError(name, " must be at most 1 or 100%, not \"", value, "\"");
  if (!share && number > 1e15) throw UsageError(name, " must be at most 1000000000000000");
  return {.amount = number, .is_share = share};
}

}  // namespace bert::cli
