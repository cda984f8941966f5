#include "io/record.h"

#include <doctest/doctest.h>

#include "base/error.h"

using namespace bert;
using namespace bert::io;

namespace {

std::vector<std::string> labels_of_json(std::string_view object) {
  const Source source{.name = "test", .format = InputFormat::jsonl, .columns = {}};
  json::Document document;
  return Fields(source, document.parse(object)).labels("label");
}

std::vector<std::string> labels_of_cell(std::string_view cell) {
  const Source source{.name = "test", .format = InputFormat::csv, .columns = {"label"}};
  return Fields(source, std::span(&cell, 1)).labels("label");
}

std::string number_of_cell(std::string_view cell) {
  const Source source{.name = "test", .format = InputFormat::tsv, .columns = {"label"}};
  try {
    return std::to_string(Fields(source, std::span(&cell, 1)).number("label"));
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("a number in a table may have spaces around it, and a decimal comma is explained") {
  CHECK(number_of_cell("4.5") == "4.500000");
  CHECK(number_of_cell(" 3 ") == "3.000000");
  CHECK(number_of_cell("4,5") == "field \"label\" is \"4,5\", expected a number with a point: 4.5");
  CHECK(number_of_cell("1,234.5") == "field \"label\" is \"1,234.5\", expected a number");
  CHECK(number_of_cell("4, 5") == "field \"label\" is \"4, 5\", expected a number");
  CHECK(number_of_cell(" ") == "field \"label\" is \" \", expected a number");
}

TEST_CASE("labels are an array, or a text with commas between them") {
  using Labels = std::vector<std::string>;
  CHECK(labels_of_json("{\"label\":[\"a\",7,\"b,c\"]}") == Labels{"a", "7", "b,c"});
  CHECK(labels_of_json("{\"label\":[]}").empty());
  CHECK(labels_of_json("{\"label\":\"a,b c\"}") == Labels{"a", "b c"});
  CHECK(labels_of_cell("a,b c") == Labels{"a", "b c"});
  CHECK(labels_of_cell("a") == Labels{"a"});
  CHECK(labels_of_cell("").empty());
  CHECK(labels_of_cell("a,,b,") == Labels{"a", "", "b"});
}

TEST_CASE("labels in a table may be an array as tables of predictions have it") {
  using Labels = std::vector<std::string>;
  CHECK(labels_of_cell("[\"a\",\"b,c\"]") == Labels{"a", "b,c"});
  CHECK(labels_of_cell("[]").empty());
  CHECK(labels_of_cell("[a],[b]") == Labels{"[a]", "[b]"});
  CHECK_THROWS_AS(labels_of_cell("[\"a\""), Error);
}

TEST_CASE("labels of another type are an error that names the field") {
  CHECK_THROWS_WITH_AS(labels_of_json("{\"label\":1}"), "field \"label\" is a number, expected an array",
                       Error);
  CHECK_THROWS_AS(labels_of_json("{\"label\":[1.5]}"), Error);
  CHECK_THROWS_AS(labels_of_json("{}"), Error);
}
