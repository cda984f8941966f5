#include "text/subword_words.h"

#include <unicode/uscript.h>

#include <algorithm>
#include <string>
#include <utility>

#include "base/error.h"
#include "json/json.h"
#include "json/utf8.h"
#include "text/bpe.h"
#include "text/characters.h"
#include "text/normalizer_steps.h"
#include "text/utf8.h"

namespace bert::text {
namespace {

// Han and kana are one script, since Japanese words mix them. Marks continue whatever is before them.
UScriptCode script_of(char32_t c) {
  if (c < 0x80) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return letter ? USCRIPT_LATIN : USCRIPT_COMMON;
  }
  constexpr char32_t kLongVowel = 0x30FC;
  UErrorCode error = U_ZERO_ERROR;
  const UScriptCode script = uscript_getScript(static_cast<UChar32>(c), &error);
  const bool kana = script == USCRIPT_HIRAGANA || script == USCRIPT_KATAKANA || c == kLongVowel;
  return kana ? USCRIPT_HAN : script;
}

// Words of one script each; "▁" belongs to the character after it.
void divide_at_scripts(std::string_view word, const TakeWord& take) {
  size_t begin = 0;
  UScriptCode before = USCRIPT_INHERITED;
  for (size_t at = word.starts_with(kMetaspace) ? kMetaspace.size() : 0; at < word.size();) {
    const CodePoint code = decode(word.data() + at);
    const UScriptCode script = script_of(code.value);
    if (script != before && before != USCRIPT_INHERITED && script != USCRIPT_INHERITED) {
      if (at - begin <= kMaxLearnedWord) take(word.substr(begin, at - begin));
      begin = at;
    }
    if (script != USCRIPT_INHERITED) before = script;
    at += code.size;
  }
  if (word.size() - begin <= kMaxLearnedWord) take(word.substr(begin));
}

// Divides before each "▁" but the first.
void divide_at_marks(std::string_view word, const TakeWord& take) {
  for (size_t begin = 0; begin < word.size();) {
    const size_t end = std::min(word.find(kMetaspace, begin + 1), word.size());
    divide_at_scripts(word.substr(begin, end - begin), take);
    begin = end;
  }
}

enum class Mark { add, none };

void metaspace_words(std::string_view text, Mark mark, const TakeWord& take) {
  std::string marked;
  const auto end_word = [&](size_t begin, size_t end) {
    if (begin == end) return;
    const std::string_view word = text.substr(begin, end - begin);
    const bool adds = mark == Mark::add && !word.starts_with(kMetaspace);
    divide_at_marks(marked.assign(adds ? kMetaspace : "").append(word), take);
  };
  size_t begin = 0;
  for (size_t at = 0; at < text.size();) {
    const CodePoint code = decode(text.data() + at);
    const size_t next = at + code.size;
    if (is_white_space(code.value)) {
      end_word(begin, at);
      begin = next;
    }
    at = next;
  }
  end_word(begin, text.size());
}

void gpt2_words(std::string_view text, const TakeWord& take) {
  for (size_t at = 0; at < text.size();) {
    const size_t end = gpt2_word_end(text, at);
    if (end - at <= kMaxLearnedWord) take(text.substr(at, end - at));
    at = end;
  }
}

template <class Use>
void with_normalized(const Composition& composition, std::string_view text, const Use& use) {
  const bool unchanged = composition.normalizer.empty() ||
                         (composition.normalizer[0].kind == NormalizerStep::Kind::nfkc && is_ascii(text));
  if (unchanged) return use(text);
  AlignedText normalized(text, 0, AlignedText::Alignment::none);
  apply(composition.normalizer, {}, normalized);
  use(std::string_view(normalized.text()));
}

}  // namespace

Composition composition_to_learn(ModelKind kind, LetterCase letter_case) {
  using Kind = NormalizerStep::Kind;
  const bool unigram = kind == ModelKind::unigram;
  Composition composition;
  if (letter_case == LetterCase::lower)
    composition.normalizer = {{.kind = unigram ? Kind::nfkd : Kind::nfd},
                              {.kind = Kind::strip_accents},
                              {.kind = Kind::lowercase},
                              {.kind = unigram ? Kind::nfkc : Kind::nfc}};
  else if (unigram)
    composition.normalizer = {{.kind = Kind::nfkc}};
  composition.white_space_split = unigram;
  if (unigram)
    composition.metaspace = Metaspace();
  else
    composition.byte_level = ByteLevel{.add_prefix_space = false};
  composition.decoder = unigram ? DecoderKind::metaspace : DecoderKind::byte_level;
  return composition;
}

void for_each_subword_word(const Composition& composition, std::string_view text, const TakeWord& take) {
  with_normalized(composition, text, [&](std::string_view normalized) {
    if (composition.metaspace)
      metaspace_words(normalized, Mark::add, take);
    else
      gpt2_words(normalized, take);
  });
}

void for_each_counted_word(const Composition& composition, std::string_view word, const TakeWord& take) {
  if (composition.metaspace)
    return with_normalized(composition, word, [&](std::string_view normalized) {
      metaspace_words(normalized, Mark::none, take);
    });
  std::string bytes;
  append_bytes_of(word, bytes);
  if (!json::is_utf8(bytes))
    throw Error("the word ", json::in_quotes(word), " is not written in the characters of byte-level BPE");
  with_normalized(composition, bytes, [&](std::string_view normalized) { gpt2_words(normalized, take); });
}

}  // namespace bert::text
