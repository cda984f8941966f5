#include <doctest/doctest.h>

#include <cmath>

#include "base/error.h"
#include "predict/vector_writer.h"

using namespace bert::predict;

namespace {

std::string number(float x, int precision = 6) {
  std::string out;
  append_python_number(out, x, precision);
  return out;
}

std::string quoted(std::string_view text) {
  std::string out;
  append_python_string(out, text);
  return out;
}

}  // namespace

// Expected texts are the output of CPython 3.11 for repr(round(x, n)) and json.dumps.
TEST_CASE("numbers are rounded and printed as in Python") {
  CHECK(number(0.25f) == "0.25");
  CHECK(number(1.0f) == "1.0");
  CHECK(number(0.0f) == "0.0");
  CHECK(number(-1e-9f) == "-0.0");
  CHECK(number(0.1f) == "0.1");
  CHECK(number(-0.12345678f) == "-0.123457");
  CHECK(number(0.0001f) == "0.0001");
  CHECK(number(0.00001f) == "1e-05");
  CHECK(number(-0.0000123f) == "-1.2e-05");
  CHECK(number(1e-6f) == "1e-06");
  CHECK(number(123456.789f) == "123456.789062");
  CHECK(number(16777216.0f) == "16777216.0");
  CHECK(number(0.5f, 0) == "0.0");  // half to even, as round(0.5, 0)
  CHECK(number(2.5f, 0) == "2.0");
  CHECK_THROWS_AS(number(NAN), bert::Error);
}

TEST_CASE("strings are escaped to ASCII") {
  CHECK(quoted("[CLS]") == "\"[CLS]\"");
  CHECK(quoted("a\"b\\c/") == "\"a\\\"b\\\\c/\"");
  CHECK(quoted("\n\t\x01\x7f") == "\"\\n\\t\\u0001\\u007f\"");
  CHECK(quoted("k\xc3\xb6nig") == "\"k\\u00f6nig\"");
  CHECK(quoted("\xe6\x97\xa5") == "\"\\u65e5\"");
  CHECK(quoted("\xf0\x9f\x91\x91") == "\"\\ud83d\\udc51\"");
}

TEST_CASE("a line is stripped and then split at its last separator") {
  const auto texts = google_texts("a ||| b ||| c");
  CHECK(texts.pair);
  CHECK(texts.first == "a ||| b");
  CHECK(texts.second == "c");
  CHECK_FALSE(google_texts("a ||| ").pair);  // stripped to "a |||"
  CHECK(google_texts(" a |||b ").first == "a |||b");
  CHECK(google_texts("   ").first.empty());
  CHECK(google_texts("").first.empty());
}

TEST_CASE("a line has the layout of json.dumps") {
  const bert::text::Tokenizer tokenizer({"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "x"}, {}, "vocab.txt");
  const bert::io::Source source = {.name = "-", .format = bert::io::InputFormat::text};
  const bert::io::Record record(source, 1, 7, "x");
  // Two tokens, each with one number of two layers.
  const float values[] = {0.5f, -2, 1, 0.25f};
  const std::vector<int32_t> ids = {2, 5};
  bert::io::Output out(bert::io::Format::google);
  make_google_writer(tokenizer, {-1, 0}, 6)->write(record, {.values = values, .width = 2, .ids = &ids}, out);
  CHECK(out.written() ==
        "{\"linex_index\": 7, \"features\": [{\"token\": \"[CLS]\", \"layers\": [{\"index\": -1, \"values\": "
        "[0.5]}, {\"index\": 0, \"values\": [-2.0]}]}, {\"token\": \"x\", \"layers\": [{\"index\": -1, "
        "\"values\": [1.0]}, {\"index\": 0, \"values\": [0.25]}]}]}\n");
}
