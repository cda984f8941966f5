#include "text/terms.h"

#include <doctest/doctest.h>

namespace bert::text {
namespace {

using Terms = std::vector<std::string>;

TEST_CASE("terms are words, numbers and ideograms without case") {
  TermSplitter splitter;
  CHECK(splitter.split("") == Terms{});
  CHECK(splitter.split(" -- !\n") == Terms{});
  CHECK(splitter.split("The ship's 3.14 tons, foo_bar!") ==
        Terms{"the", "ship's", "3.14", "tons", "foo_bar"});
  CHECK(splitter.split("STRASSE Straße ﬁn Ⅷ") == Terms{"strasse", "strasse", "fin", "viii"});
  CHECK(splitter.split("Ελλάς ΕΛΛΆΣ") == Terms{"ελλάσ", "ελλάσ"});
  CHECK(splitter.split("The ship’s crew, the O’Neills’ ‘ship’") ==
        Terms{"the", "ship's", "crew", "the", "o'neills", "ship"});
  CHECK(splitter.split("日本").size() >= 1);
  CHECK(splitter.split("a") == Terms{"a"});
}

TEST_CASE("a long text without spaces is one term") {
  TermSplitter splitter;
  const std::string word(1 << 20, 'x');
  CHECK(splitter.split(word) == Terms{word});
  std::string wide;
  for (int i = 0; i < 100000; ++i) wide += "\xef\xb7\xba";  // a ligature of 18 letters
  CHECK(splitter.split(wide).size() >= 1);
}

}  // namespace
}  // namespace bert::text
