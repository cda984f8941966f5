#include "text/terms.h"

#include <unicode/ubrk.h>
#include <unicode/unorm2.h>
#include <unicode/ustring.h>
#include <unicode/utext.h>

#include <algorithm>

#include "base/error.h"
#include "text/utf8.h"

namespace bert::text {
namespace {

struct Close {
  void operator()(UBreakIterator* iterator) const { ubrk_close(iterator); }
  void operator()(UText* text) const { utext_close(text); }
};

void require(UErrorCode status) {
  if (U_FAILURE(status)) throw Error("ICU: ", u_errorName(status));
}

}  // namespace

struct TermSplitter::Impl {
  std::unique_ptr<UBreakIterator, Close> iterator;
  std::unique_ptr<UText, Close> text;
  const UNormalizer2* fold = nullptr;
  std::vector<std::string> terms;
  std::u16string word, folded;

  std::string folded_form(std::string_view term);
};

TermSplitter::TermSplitter() : impl_(std::make_unique<Impl>()) {
  UErrorCode status = U_ZERO_ERROR;
  impl_->iterator.reset(ubrk_open(UBRK_WORD, "root", nullptr, 0, &status));
  impl_->fold = unorm2_getNFKCCasefoldInstance(&status);
  require(status);
}
TermSplitter::TermSplitter(TermSplitter&&) noexcept = default;
TermSplitter::~TermSplitter() = default;

std::string TermSplitter::Impl::folded_form(std::string_view term) {
  std::string form(term);
  if (is_ascii(term)) {
    for (char& c : form)
      if (c >= 'A' && c <= 'Z') c += 'a' - 'A';
    return form;
  }
  UErrorCode status = U_ZERO_ERROR;
  int32_t size = 0;
  word.resize(term.size());
  u_strFromUTF8(word.data(), word.size(), &size, term.data(), term.size(), &status);
  word.resize(size);
  std::ranges::replace(word, u'\u2019', u'\'');
  const auto normalize = [&] {
    return unorm2_normalize(fold, word.data(), word.size(), folded.data(), folded.size(), &status);
  };
  folded.resize(word.size());
  size = normalize();
  if (status == U_BUFFER_OVERFLOW_ERROR) {
    status = U_ZERO_ERROR;
    folded.resize(size);
    size = normalize();
  }
  form.resize(3 * size);
  int32_t bytes = 0;
  u_strToUTF8(form.data(), form.size(), &bytes, folded.data(), size, &status);
  require(status);
  form.resize(bytes);
  return form;
}

const std::vector<std::string>& TermSplitter::split(std::string_view text) {
  auto& [iterator, opened, fold, terms, word, folded] = *impl_;
  terms.clear();
  UErrorCode status = U_ZERO_ERROR;
  auto* const reused = utext_openUTF8(opened.get(), text.data(), text.size(), &status);
  if (opened.get() != reused) opened.reset(reused);
  ubrk_setUText(iterator.get(), opened.get(), &status);
  require(status);
  int32_t begin = ubrk_first(iterator.get());
  for (int32_t end; (end = ubrk_next(iterator.get())) != UBRK_DONE; begin = end) {
    if (ubrk_getRuleStatus(iterator.get()) < UBRK_WORD_NONE_LIMIT) continue;
    auto form = impl_->folded_form(text.substr(begin, end - begin));
    if (!form.empty()) terms.push_back(std::move(form));
  }
  return terms;
}

}  // namespace bert::text
