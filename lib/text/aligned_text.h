// A normalized text that knows which bytes of the original text each of its bytes came from, as Hugging
// Face's NormalizedString does: offsets of tokens follow its rules also where characters appear, vanish or
// merge.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/tokenizer.h"

namespace bert::text {

// A character of the new text and how many characters of the old one it stands for: 0 for one, 1 for none (it
// was inserted), -n for n + 1.
struct Change {
  char32_t character = 0;
  int32_t change = 0;
};

class AlignedText {
 public:
  enum class Alignment { none, kept };

  // `base`: position of `text` in the whole text.
  AlignedText(std::string_view text, size_t base, Alignment alignment);
  AlignedText() = default;

  const std::string& text() const { return text_; }
  bool aligned() const { return aligned_; }

  // What [begin, end) came from; the text must be aligned and the range not empty.
  Span source(size_t begin, size_t end) const { return {sources_[begin].begin, sources_[end - 1].end}; }

  void rewrite(std::span<const Change> changes);

  // Whether a rewrite removed characters at the beginning without saying so. Then all sources are too early,
  // as in Hugging Face's library.
  bool shifted() const { return shifted_; }

  // Builds a text from parts of this one: copies of ranges, and inserted bytes with the source of byte
  // `from`.
  void append_copy(const AlignedText& other, size_t begin, size_t end);
  void append_inserted(const AlignedText& other, std::string_view bytes, size_t from);
  AlignedText empty_like() const;

 private:
  std::string text_;
  std::vector<Span> sources_;  // one for each byte
  bool aligned_ = false, shifted_ = false;
};

}  // namespace bert::text
