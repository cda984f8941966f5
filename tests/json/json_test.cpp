#include "json/json.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"

using namespace bert;
using namespace bert::json;

TEST_CASE("arrays of integers of any length are written whole") {
  std::vector<int32_t> values;
  std::string expected;
  for (int32_t i = 0; i < 400; ++i) {
    std::string text = "before ";
    json::append_integers(text, values);
    CHECK(text == "before [" + expected + "]");
    values.push_back(i % 3 == 0 ? INT32_MIN + i : i % 3 == 1 ? INT32_MAX - i : i);
    expected += (i > 0 ? "," : "") + std::to_string(values.back());
  }
}

TEST_CASE("values are read by their type; a wrong type is reported") {
  Document document;
  const Value root = document.parse(R"({"a":[1,2,-3],"b":"x\ny","c":1.5,"d":true,"e":null})");
  CHECK(root.find("a")->integers() == std::vector<int32_t>{1, 2, -3});
  CHECK(root.find("b")->string() == "x\ny");
  CHECK(root.find("c")->number() == 1.5);
  CHECK(root.find("d")->boolean());
  CHECK(root.find("e")->is_null());
  CHECK(!root.find("f"));
  CHECK(root.members().size() == 5);
  CHECK_THROWS_WITH(root.find("c")->integer(), "is a number, expected an integer");
  CHECK_THROWS_WITH(root.find("b")->integers(), "is a string, expected an array of integers");
  CHECK_THROWS_AS(document.parse("{\"a\":1} x"), Error);
  CHECK_THROWS_AS(document.parse("{\"a\":\"\xff\"}"), Error);
}

TEST_CASE("arrays of numbers become f32") {
  Document document;
  CHECK(document.parse("[1, -0.5, 1e-3, 16777217]").numbers() ==
        std::vector{1.0f, -0.5f, 1e-3f, 16777216.0f});
  CHECK(document.parse("[]").numbers().empty());
  CHECK_THROWS_WITH(document.parse("[1, \"2\"]").numbers(), "contains a string, expected numbers");
  CHECK_THROWS_WITH(document.parse("{}").numbers(), "is an object, expected an array of numbers");
}

TEST_CASE("integers that do not fit are named as such") {
  Document document;
  const Value root =
      document.parse(R"([99999999999999999999,-1e19,9223372036854775808,9223372036854775807])");
  const auto values = root.elements();
  for (size_t i = 0; i < 3; ++i) {
    CHECK_THROWS_WITH(values[i].integer(), "is a number that is too large for a 64-bit integer");
    CHECK_THROWS_WITH(values[i].label(), "is a number that is too large for a 64-bit integer");
  }
  CHECK(values[3].integer() == INT64_MAX);
  CHECK_THROWS_WITH(root.integers(), "has a number at index 0 that does not fit into 32 bits");
}

TEST_CASE("errors in a configuration file name the file and the key") {
  const File file("config.json", R"({"layers":12,"name":"b","eps":1e-12,"none":null})");
  CHECK(file.integer("layers") == 12);
  CHECK(file.integer("none", 7) == 7);
  CHECK(file.string("name") == "b");
  CHECK(file.number("eps") == 1e-12);
  CHECK_THROWS_WITH(file.integer("heads"), "config.json: \"heads\" is missing");
  CHECK_THROWS_WITH(file.integer("name"), "config.json: \"name\" is a string, expected an integer");
  CHECK_THROWS_AS(File("x", "[1]"), Error);
}

TEST_CASE("numbers are written as the shortest text that parses back to the same value") {
  const auto written = [](float value, int precision = -1) {
    std::string out;
    append_number(out, value, precision);
    return out;
  };
  CHECK(written(0.1f) == "0.1");
  CHECK(written(1e-30f) == "1e-30");
  CHECK(written(-2.0f) == "-2");
  CHECK(written(0.123456f, 3) == "0.123");
  CHECK(written(0.5f, 3) == "0.5");
  CHECK(written(-0.0001f, 2) == "0");
  CHECK_THROWS_AS(written(1.0f / 0.0f), Error);
}

TEST_CASE("64-bit numbers are written with as many digits as they need") {
  const auto written = [](double value, int precision = -1) {
    std::string out;
    append_double(out, value, precision);
    return out;
  };
  CHECK(written(50.98153647324482) == "50.98153647324482");
  CHECK(written(0.1) == "0.1");
  CHECK(written(100.0) == "100");
  CHECK(written(2.0 / 3, 3) == "0.667");
  CHECK(written(-1e308, 2) == written(-1e308, 0));
  CHECK_THROWS_AS(written(0.0 / 0.0), Error);
}

TEST_CASE("strings are escaped only where JSON requires it") {
  std::string out;
  append_string(out, std::string_view("a\"\\\n\0é", 7));
  CHECK(out == "\"a\\\"\\\\\\n\\u0000é\"");
}

TEST_CASE("a name in an error message is one line of valid UTF-8") {
  CHECK(in_quotes("a\nb\"") == "\"a\\nb\\\"\"");
  CHECK(in_quotes("a\xff") == "\"a\xef\xbf\xbd\"");
  CHECK(in_quotes(std::string(1000, 'x')).size() == 305);
}
