#include "json/syntax.h"

#include <doctest/doctest.h>

#include <random>

#include "base/error.h"
#include "json/json.h"

using namespace bert;
using namespace bert::json;

namespace {

std::string fault_of(std::string_view text) {
  const auto fault = find_fault(text);
  return fault ? std::to_string(fault->at) + ": " + fault->what : "none";
}

bool is_valid(const std::string& text) {
  try {
    Document().parse(text);
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

TEST_CASE("a fault is named with its place") {
  CHECK(fault_of("") == "0: it is empty");
  CHECK(fault_of("{\"a\":1 \"b\":2}") == "7: a comma is missing");
  CHECK(fault_of("{\"a\":1,}") == "7: a comma is before the closing brace");
  CHECK(fault_of("[1,]") == "3: a comma is before the closing bracket");
  CHECK(fault_of("{\"a\" 1}") == "5: a colon is missing");
  CHECK(fault_of("{\"a\":}") == "5: a value is missing");
  CHECK(fault_of("[NaN]") == "1: NaN is not JSON; write null");
  CHECK(fault_of("{\"a\":\"b") == "5: a string has no closing quote");
  CHECK(fault_of("{\"a\":[1}") == "7: a bracket is not closed");
  CHECK(fault_of("{} {}") == "3: more text follows the value");
  CHECK(find_fault("{\"a\":")->kind == Fault::Kind::incomplete);
  CHECK(find_fault("\"\\ud800\"")->kind == Fault::Kind::half_surrogate);
}

TEST_CASE("the scanner and simdjson agree on what is JSON") {
  std::mt19937 random(1);
  const std::string marks = "{}[]:,\"\\ \n01.eE+-tfnuabd'";
  const std::string valid = R"({"a":[1,-2.5e+3,"x\n\u00e9",{"b":null}],"c":true,"":{}})";
  for (int i = 0; i < 20000; ++i) {
    std::string text = valid;
    for (int edits = static_cast<int>(random() % 3); edits >= 0; --edits) {
      const size_t at = random() % text.size();
      if (random() % 2 == 0) {
        text.erase(at, 1 + random() % 3);
      } else {
        text.insert(at, 1, marks[random() % marks.size()]);
      }
      if (text.empty()) text = "1";
    }
    CAPTURE(text);
    REQUIRE(is_valid(text) == !find_fault(text));
  }
}

TEST_CASE("positions count code points and lines") {
  CHECK(position_of("\"\xc3\xa9\"x", 4) == "column 4");
  CHECK(position_of("{\n  x", 4) == "line 2, column 3");
}

TEST_CASE("half surrogates become U+FFFD, pairs and other escapes stay") {
  CHECK(repair_surrogates(R"("\ud800")") == R"("\ufffd")");
  CHECK(repair_surrogates(R"("\udc00\ud83d\ude00\ud83dx")") == R"("\ufffd\ud83d\ude00\ufffdx")");
  CHECK(repair_surrogates(R"("\\ud800\n\u00e9")") == R"("\\ud800\n\u00e9")");
  CHECK(repair_surrogates("\"\\ud8") == "\"\\ud8");
  CHECK(repair_surrogates("\\") == "\\");
}

TEST_CASE("numbers may have any size; only reading one that is too large is an error") {
  Document document;
  const auto root = document.parse("[1e999,-1e999,1.5,12345678901234567890123]");
  const auto numbers = root.elements();
  CHECK_THROWS_WITH_AS(numbers[0].number(), "is a number that is too large", Error);
  CHECK_THROWS_WITH_AS(numbers[1].number(), "is a number that is too large", Error);
  CHECK(numbers[2].number() == 1.5);
  CHECK(numbers[3].number() == 12345678901234567890123.0);
  CHECK_FALSE(is_valid("[01]"));
  CHECK_FALSE(is_valid("[1.e999]"));
}
