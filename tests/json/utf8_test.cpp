#include "json/utf8.h"

#include <doctest/doctest.h>

#include <random>

#include "base/error.h"
#include "reference/slow_utf8.h"

using namespace bert::json;

TEST_CASE("ill-formed parts match an enumeration of all code points") {
  const bert::reference::SlowUtf8 slow;
  std::mt19937_64 random(1);
  // Bytes at which the valid ranges of second bytes change.
  const std::string bytes =
      "a\x7f\x80\x8f\x90\x9f\xa0\xbf\xc0\xc1\xc2\xdf\xe0\xe4\xed\xef\xf0\xf3\xf4\xf5\xff";
  for (int round = 0; round < 200000; ++round) {
    std::string text;
    for (size_t i = random() % 7; i > 0; --i) text += bytes[random() % bytes.size()];
    std::optional<size_t> first_bad;
    const std::string repaired = slow.repair(text, first_bad);
    REQUIRE(repair_utf8(text) == repaired);
    REQUIRE(is_utf8(text) == !first_bad);
    if (!first_bad) continue;
    const std::string offset = " at offset " + std::to_string(*first_bad + 3) + " ";
    std::string said;
    try {
      check_utf8(text, 3);
    } catch (const bert::Error& error) {
      said = error.what();
    }
    REQUIRE(said.find(offset) != std::string::npos);
  }
}

TEST_CASE("every code point is valid") {
  for (unsigned code = 0; code < 0x110000; ++code) {
    if (code >= 0xd800 && code < 0xe000) continue;
    REQUIRE(is_utf8(bert::reference::SlowUtf8::encode(code)));
  }
}
