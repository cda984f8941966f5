#include "text/sentences.h"

#include <unicode/ubrk.h>
#include <unicode/uloc.h>

#include <algorithm>

#include "base/error.h"
#include "text/utf8.h"

namespace bert::text {
namespace {

bool is_white(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_white(text.back())) text.remove_suffix(1);
  while (!text.empty() && is_white(text.front())) text.remove_prefix(1);
  return text;
}

// Removes the first line of `rest`, line end included, and returns it; "" at the end.
std::string_view take_line(std::string_view& rest) {
  const size_t end = rest.find('\n');
  const auto line = rest.substr(0, end == rest.npos ? rest.size() : end + 1);
  rest.remove_prefix(line.size());
  return line;
}

// Returns the lines up to the next blank one and removes them and the blank line. May return an empty view.
std::string_view take_paragraph(std::string_view& rest) {
  const char* const begin = rest.data();
  for (;;) {
    const char* const end = rest.data();
    const auto line = take_line(rest);
    if (trimmed(line).empty()) return {begin, static_cast<size_t>(end - begin)};
  }
}

// Replaces line ends by spaces, since ICU's rules end a sentence at every paragraph separator.
char16_t without_line_end(char c) { return c == '\n' || c == '\r' ? u' ' : static_cast<unsigned char>(c); }

// The language must be known; unknown regions, scripts and keywords are accepted. "en_US" is the same as
// "en-US".
std::string icu_locale(const std::string& name) {
  if (name == "root") return name;
  std::string tag = name;
  std::ranges::replace(tag, '_', '-');
  UErrorCode status = U_ZERO_ERROR;
  char locale[ULOC_FULLNAME_CAPACITY], language[ULOC_LANG_CAPACITY], known[ULOC_LANG_CAPACITY];
  int32_t parsed = 0;
  uloc_forLanguageTag(tag.c_str(), locale, sizeof locale, &parsed, &status);
  uloc_getLanguage(locale, language, sizeof language, &status);
  if (U_SUCCESS(status) && status != U_STRING_NOT_TERMINATED_WARNING &&
      parsed == static_cast<int32_t>(tag.size()) && *language != '\0') {
    for (int32_t i = 0; i < uloc_countAvailable(); ++i) {
      uloc_getLanguage(uloc_getAvailable(i), known, sizeof known, &status);
      if (std::string_view(known) == language) return locale;
    }
  }
  throw Error("locale \"", name, "\" is not known to ICU");
}

struct CloseIterator {
  void operator()(UBreakIterator* iterator) const { ubrk_close(iterator); }
};

}  // namespace

struct SentenceSplitter::Impl {
  std::unique_ptr<UBreakIterator, CloseIterator> iterator;
  std::u16string units;  // the paragraph in UTF-16, for ICU

  void split_paragraph(std::string_view paragraph, std::vector<std::string_view>& sentences);
  void widen(std::string_view paragraph);
};

SentenceSplitter::SentenceSplitter(const std::string& locale) : impl_(std::make_unique<Impl>()) {
  UErrorCode status = U_ZERO_ERROR;
  impl_->iterator.reset(ubrk_open(UBRK_SENTENCE, icu_locale(locale).c_str(), nullptr, 0, &status));
  if (U_FAILURE(status)) throw Error("locale \"", locale, "\": ", u_errorName(status));
}
SentenceSplitter::SentenceSplitter(SentenceSplitter&&) noexcept = default;
SentenceSplitter::~SentenceSplitter() = default;

void SentenceSplitter::split(std::string_view text, std::vector<std::string_view>& sentences) {
  sentences.clear();
  while (!text.empty()) {
    const auto paragraph = take_paragraph(text);
    if (!paragraph.empty()) impl_->split_paragraph(paragraph, sentences);
  }
}

void SentenceSplitter::Impl::widen(std::string_view paragraph) {
  if (is_ascii(paragraph)) {
    units.resize(paragraph.size());
    std::transform(paragraph.begin(), paragraph.end(), units.begin(), without_line_end);
    return;
  }
  units.clear();
  for (size_t i = 0; i < paragraph.size();) {
    const auto [code, size] = decode(paragraph.data() + i);
    if (code < 0x80) {
      units += without_line_end(static_cast<char>(code));
    } else if (code < 0x10000) {
      units += static_cast<char16_t>(code);
    } else {
      units += static_cast<char16_t>(0xD7C0 + (code >> 10));
      units += static_cast<char16_t>(0xDC00 + (code & 0x3FF));
    }
    i += size;
  }
}

// Boundaries are ascending, so byte and UTF-16 positions advance together.
void SentenceSplitter::Impl::split_paragraph(std::string_view paragraph,
                                             std::vector<std::string_view>& sentences) {
  widen(paragraph);
  UErrorCode status = U_ZERO_ERROR;
  ubrk_setText(iterator.get(), units.data(), units.size(), &status);
  if (U_FAILURE(status)) throw Error("sentence boundaries: ", u_errorName(status));
  const bool ascii = units.size() == paragraph.size();
  size_t unit = 0, byte = 0;
  for (int32_t next; (next = ubrk_next(iterator.get())) != UBRK_DONE;) {
    const size_t begin = byte;
    if (ascii) byte = next;
    while (!ascii && unit < static_cast<size_t>(next)) {
      const uint32_t size = decode(paragraph.data() + byte).size;
      byte += size;
      unit += size == 4 ? 2 : 1;
    }
    const auto sentence = trimmed(paragraph.substr(begin, byte - begin));
    if (!sentence.empty()) sentences.push_back(sentence);
  }
}

void split_lines(std::string_view text, std::vector<std::string_view>& lines) {
  lines.clear();
  while (!text.empty()) {
    const auto line = trimmed(take_line(text));
    if (!line.empty()) lines.push_back(line);
  }
}

}  // namespace bert::text
