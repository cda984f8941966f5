// Mail, which is read as text.
#pragma once

#include "io/input.h"

namespace bert::io {

// Whether it begins as a mail or an archive of mails does: with a field such as "Return-Path: <king@court>",
// of which a file that was found must have two, or as an mbox (RFC 4155).
enum class Found { no, yes };
bool is_mail(Input& input, Found found);
constexpr auto kMailAdvice = "the example mbox.py makes records of mails";

}  // namespace bert::io
