// Where the sentences of a text begin and end, by the rules of Unicode (UAX 29) as ICU has them.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace bert::text {

// Keeps its memory from text to text; for one thread at a time.
class SentenceSplitter {
 public:
  // `locale` is a language tag ("el", "en-u-ss-standard") or "root". Error when ICU does not know it.
  explicit SentenceSplitter(const std::string& locale);
  SentenceSplitter(SentenceSplitter&&) noexcept;
  ~SentenceSplitter();

  // Replaces `sentences` by those of `text`, which is valid UTF-8: views into it, without the white space
  // around them, none of them blank. A blank line ends a sentence, any other line end is a space: "It was
  // the\r\nbest of\ftimes." is one sentence.
  void split(std::string_view text, std::vector<std::string_view>& sentences);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The lines of `text` that are not blank, in the same way.
void split_lines(std::string_view text, std::vector<std::string_view>& lines);

}  // namespace bert::text
