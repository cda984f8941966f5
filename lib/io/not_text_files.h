// Files that were found in folders and left out, since they are not text.
#pragma once

#include <cstdint>
#include <string>

#include "base/log.h"

namespace bert::io {

struct NotTextFiles {
  // Those that may be text in another encoding, or partly so.
  struct Kind {
    int64_t count = 0;
    std::string first;

    void add(const Kind& others);
  };
  int64_t count = 0;  // of all
  Kind not_utf8, partly_utf8, mail;

  void add(const NotTextFiles& others);
  void report(Log& log) const;
};

}  // namespace bert::io
