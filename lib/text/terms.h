// The terms of a text, by which a search finds words.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace bert::text {

// Splits at the word boundaries of Unicode (UAX #29), by dictionaries in Thai and the like. Terms are words
// that have a letter, a number or an ideogram, in lower case and compatibility form (NFKC_Casefold): "Straße"
// is "strasse". An apostrophe is "'", also if it is written as U+2019.
class TermSplitter {
 public:
  TermSplitter();
  TermSplitter(TermSplitter&&) noexcept;
  ~TermSplitter();

  // In order, repeated ones included; valid until the next call. `text` must be valid UTF-8.
  const std::vector<std::string>& split(std::string_view text);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace bert::text
