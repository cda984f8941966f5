#include "io/decoder.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

using namespace bert::io;

namespace {

// Writes a letter for each byte.
class Letters final : public Decoder {
 public:
  void decode(std::string_view bytes, Part, std::string& out) override {
    for (const char c : bytes) out += static_cast<signed char>(c) < 0 ? 'x' : c;
  }
};

struct Decoded {
  std::string text;
  std::vector<int64_t> utf8_lines;
  bool utf8 = false;
};

// In parts of `size` bytes.
Decoded decoded(std::string_view bytes, size_t size, bool may_be_utf8) {
  Decoded result;
  Utf8OrOther::Notes notes;
  if (may_be_utf8) notes.utf8 = [&] { result.utf8 = true; };
  notes.utf8_line = [&](int64_t line) { result.utf8_lines.push_back(line); };
  Utf8OrOther decoder(std::make_unique<Letters>(), std::move(notes));
  for (; bytes.size() > size; bytes.remove_prefix(size))
    decoder.decode(bytes.substr(0, size), Decoder::Part::inner, result.text);
  decoder.decode(bytes, Decoder::Part::inner, result.text);
  decoder.decode("", Decoder::Part::last, result.text);
  return result;
}

TEST_CASE("UTF-8 below lines of another encoding is noticed once, however the bytes arrive") {
  const std::string bytes = "a\nb\xf6\nc\nd\xc3\xb6\ne\xc3\xb6";
  for (size_t size = 1; size <= bytes.size(); ++size) {
    CAPTURE(size);
    const auto one = decoded(bytes, size, true);
    CHECK(one.text == "a\nbx\nc\ndxx\nexx");
    CHECK(one.utf8_lines == std::vector<int64_t>{4});
    CHECK(!one.utf8);
    CHECK(decoded("a\nb\xf6\nc\xf6", size, true).utf8_lines.empty());
  }
}

TEST_CASE("UTF-8 in the first line beyond ASCII is read as such, or noticed") {
  const std::string bytes = "a\nd\xc3\xb6";
  for (size_t size = 1; size <= bytes.size(); ++size) {
    CAPTURE(size);
    const auto as_such = decoded(bytes, size, true), never = decoded(bytes, size, false);
    CHECK(as_such.utf8);
    CHECK(as_such.text == bytes);
    CHECK(as_such.utf8_lines.empty());
    CHECK(never.text == "a\ndxx");
    CHECK(never.utf8_lines == std::vector<int64_t>{2});
  }
}

}  // namespace
