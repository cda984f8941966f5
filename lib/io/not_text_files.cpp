#include "io/not_text_files.h"

#include "base/error.h"
#include "base/option.h"
#include "io/mail.h"

namespace bert::io {

void NotTextFiles::Kind::add(const Kind& others) {
  if (count == 0) first = others.first;
  count += others.count;
}

void NotTextFiles::add(const NotTextFiles& others) {
  count += others.count;
  not_utf8.add(others.not_utf8);
  partly_utf8.add(others.partly_utf8);
  mail.add(others.mail);
}

void NotTextFiles::report(Log& log) const {
  if (count == 0) return;
  auto text = counted(count, "file that is not text was", "files that are not text were") + " left out";
  const auto add = [&](const Kind& files, const std::string& what, const std::string& advice) {
    if (files.count == 0) return;
    text += "; " + files.first;
    if (files.count > 1) text += " and " + std::to_string(files.count - 1) + " more";
    text += (files.count > 1 ? " are " : " is ") + what + ", " + advice;
  };
  add(not_utf8, "not UTF-8",
      opt::encoding + " names " + (not_utf8.count > 1 ? "their" : "its") + " encoding");
  add(partly_utf8, "partly UTF-8 and partly not", opt::invalid_utf8 + " replace writes U+FFFD");
  add(mail, "mail", kMailAdvice);
  log.warn(text);
}

}  // namespace bert::io
