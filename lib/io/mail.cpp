#include "io/mail.h"

#include <algorithm>
#include <string_view>

#include "base/spelling.h"
#include "io/input_format.h"
#include "io/line_cutter.h"

namespace bert::io {
namespace {

// Whether a line may be the first one of a mail, such as "Return-Path: <king@court>".
bool is_mail_field(std::string_view line) {
  constexpr std::string_view kFields[] = {"from",        "return-path",      "received",     "delivered-to",
                                          "date",        "message-id",       "mime-version", "subject",
                                          "envelope-to", "x-mozilla-status", "x-original-to"};
  const size_t colon = line.find(':');
  return colon != line.npos && colon + 1 < line.size() && is_white(line[colon + 1]) &&
         std::ranges::find(kFields, lower_case(line.substr(0, colon))) != std::end(kFields);
}

// Whether a line is the first one of a mail in an mbox (RFC 4155): "From king@court Thu Jan  1 00:00:00
// 2026".
bool is_mail_archive(std::string_view line) {
  constexpr std::string_view kDigits = "0123456789";
  const auto year = line.substr(line.size() - std::min<size_t>(line.size(), 4));
  return line.starts_with("From ") && line.find(':') != line.npos &&
         year.find_first_not_of(kDigits) == line.npos;
}

}  // namespace

bool is_mail(Input& input, Found found) {
  constexpr size_t kLines = 4;
  const auto lines = first_lines(input, found == Found::yes ? kLines : 1);  // a pipe may have no more yet
  if (lines.empty()) return false;
  if (is_mail_archive(lines.front())) return true;
  const auto fields = std::ranges::count_if(lines, is_mail_field);
  return is_mail_field(lines.front()) && (found == Found::no || fields > 1);
}

}  // namespace bert::io
