#include "text/subword_words.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "base/error.h"

namespace bert::text {
namespace {

using Words = std::vector<std::string>;

Words words_of(ModelKind kind, std::string_view text, LetterCase letter_case = LetterCase::kept) {
  Words words;
  for_each_subword_word(composition_to_learn(kind, letter_case), text,
                        [&](std::string_view word) { words.emplace_back(word); });
  return words;
}

Words counted_words_of(ModelKind kind, std::string_view text) {
  Words words;
  for_each_counted_word(composition_to_learn(kind, LetterCase::kept), text,
                        [&](std::string_view word) { words.emplace_back(word); });
  return words;
}

}  // namespace

TEST_CASE("Unigram: words begin with a mark and have one script") {
  CHECK(words_of(ModelKind::unigram, "a cat, 3x.") == Words{"▁a", "▁cat", ",", "▁3", "x", "."});
  CHECK(words_of(ModelKind::unigram, " \t tab\u00a0 nbsp") == Words{"▁tab", "▁nbsp"});
  CHECK(words_of(ModelKind::unigram, "ﬁne ▁mark▁ed") == Words{"▁fine", "▁mark", "▁ed"});
  CHECK(words_of(ModelKind::unigram, "東京タワーへgo") == Words{"▁東京タワーへ", "go"});
  CHECK(words_of(ModelKind::unigram, "x\u0323y") == Words{"▁x\u0323y"});
  CHECK(words_of(ModelKind::unigram, "").empty());
  CHECK(words_of(ModelKind::unigram, "Élan", LetterCase::lower) == Words{"▁elan"});
}

TEST_CASE("byte-level BPE: words are those of GPT-2") {
  CHECK(words_of(ModelKind::bpe, "It's  a cat,\t3") == Words{"It", "'s", " ", " a", " cat", ",", "\t", "3"});
  CHECK(words_of(ModelKind::bpe, "Élan ﬁ", LetterCase::lower) == Words{"elan", " ﬁ"});
}

TEST_CASE("long words are skipped") {
  const std::string most(kMaxLearnedWord, 'a');
  CHECK(words_of(ModelKind::bpe, most + " b").size() == 2);
  CHECK(words_of(ModelKind::bpe, most + "a b") == Words{" b"});
  CHECK(words_of(ModelKind::unigram, most + "a b") == Words{"▁b"});
}

TEST_CASE("counted words are divided as before, and no mark is added") {
  CHECK(counted_words_of(ModelKind::unigram, ",") == Words{","});
  CHECK(counted_words_of(ModelKind::unigram, "▁the") == Words{"▁the"});
  CHECK(counted_words_of(ModelKind::bpe, "Ġthe") == Words{" the"});
  CHECK(counted_words_of(ModelKind::bpe, "ĉ") == Words{"\t"});
  CHECK(counted_words_of(ModelKind::bpe, "the cat") == Words{"the", " cat"});
  CHECK_THROWS_AS(counted_words_of(ModelKind::bpe, "Ã"), Error);
}

}  // namespace bert::text
