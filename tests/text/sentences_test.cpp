#include "text/sentences.h"

#include <doctest/doctest.h>

#include <random>
#include <string>

#include "base/error.h"

using bert::text::SentenceSplitter;
using Sentences = std::vector<std::string_view>;

namespace {

Sentences split(std::string_view text, const std::string& locale = "root") {
  SentenceSplitter splitter(locale);
  Sentences sentences;
  splitter.split(text, sentences);
  return sentences;
}

}  // namespace

TEST_CASE("sentences end at full stops, question marks and exclamation marks") {
  CHECK(split("Call me Ishmael. Who? Some years ago!  Never mind.") ==
        Sentences{"Call me Ishmael.", "Who?", "Some years ago!", "Never mind."});
  CHECK(split("It cost 3.50 in all, e.g. for two.") == Sentences{"It cost 3.50 in all, e.g. for two."});
  CHECK(split("He said \"no.\" and left.") == Sentences{"He said \"no.\" and left."});
}

TEST_CASE("hard-wrapped lines form whole sentences, and a blank line ends one") {
  CHECK(split("It was the best\nof times. It was\r\nthe worst\r\nof times.\n") ==
        Sentences{"It was the best\nof times.", "It was\r\nthe worst\r\nof times."});
  CHECK(split("CHAPTER I\n\nIt was\n \t\r\n\r\nthe end") == Sentences{"CHAPTER I", "It was", "the end"});
  CHECK(split("a line\n\fthat goes on over the page\f and on") ==
        Sentences{"a line\n\fthat goes on over the page\f and on"});
  CHECK(split("") == Sentences{});
  CHECK(split(" \n\f\r\n \n") == Sentences{});
}

TEST_CASE("multi-byte characters do not shift boundaries") {
  CHECK(split("Žluť. Über\nalles! \U0001F600 gut! 今日は。晴れ。") ==
        Sentences{"Žluť.", "Über\nalles!", "\U0001F600 gut!", "今日は。", "晴れ。"});
}

TEST_CASE("a locale has its own rules; an unknown locale is rejected") {
  const std::string question = "Τι κάνεις; Καλά.";
  CHECK(split(question).size() == 1);
  CHECK(split(question, "el") == Sentences{"Τι κάνεις;", "Καλά."});
  CHECK(split("Mr. Brown came.").size() == 2);
  CHECK(split("Mr. Brown came.", "en-u-ss-standard").size() == 1);
  for (const char* const wrong : {"", "xx", "not a locale", "qqq-ZZ"})
    CHECK_THROWS_AS(split("", wrong), bert::Error);
}

TEST_CASE("a reused splitter gives the same result as a new one") {
  static const std::string kParts[] = {"word", " ",      ".",    "!",          "\n", "\r\n", "\n\n",
                                       "é",    "\u2028", "中。", "\U0001F600", "\f", "A",    "\""};
  std::mt19937_64 random(3);
  SentenceSplitter used("root");
  Sentences sentences;
  for (int i = 0; i < 2000; ++i) {
    std::string text;
    for (auto n = random() % 60; n > 0; --n) text += kParts[random() % std::size(kParts)];
    used.split(text, sentences);
    CHECK(sentences == split(text));
    // Sentences do not overlap and are in order.
    const char* at = text.data();
    for (const auto sentence : sentences) {
      CHECK(sentence.data() >= at);
      at = sentence.data() + sentence.size();
    }
  }
}

TEST_CASE("split_lines makes each line a sentence") {
  Sentences lines;
  bert::text::split_lines("One. Two.\n three \r\n\n\f\nfour", lines);
  CHECK(lines == Sentences{"One. Two.", "three", "four"});
}
