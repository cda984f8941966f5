// Splits a text into sentences with ICU, by the rules of Unicode (UAX 29).
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace bert::text {

// Reuses its memory for each text. One thread at a time.
class SentenceSplitter {
 public:
  // `locale` is a language tag ("el", "en-u-ss-standard") or "root". Error if ICU does not know it.
  explicit SentenceSplitter(const std::string& locale);
  SentenceSplitter(SentenceSplitter&&) noexcept;
  ~SentenceSplitter();

  // Replaces the contents of `sentences` by the sentences of `text` (valid UTF-8), as views without
  // surrounding white space; blank ones are left out. A blank line ends a sentence; any other line end counts
  // as a space: "It was the\r\nbest of\ftimes." is one sentence.
  void split(std::string_view text, std::vector<std::string_view>& sentences);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The same for lines: the non-blank lines of `text`.
void split_lines(std::string_view text, std::vector<std::string_view>& lines);

}  // namespace bert::text
