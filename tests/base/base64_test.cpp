#include "base/base64.h"

#include <doctest/doctest.h>

#include <string>

#include "base/random.h"

using namespace bert;

namespace {

std::string encoded(std::string_view bytes) {
  std::string out = "x";  // is kept
  append_base64(out, std::as_bytes(std::span(bytes)));
  return out.substr(1);
}

std::string decoded(std::string_view text) {
  std::vector<std::byte> bytes(3);  // is replaced
  if (!decode_base64(text, bytes)) return "refused";
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

TEST_CASE("base64 has the test vectors of RFC 4648, section 10, and all digits") {
  const char* const texts[] = {"", "f", "fo", "foo", "foob", "fooba", "foobar"};
  const char* const expected[] = {"", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"};
  for (size_t i = 0; i < std::size(texts); ++i) {
    CHECK(encoded(texts[i]) == expected[i]);
    CHECK(decoded(expected[i]) == texts[i]);
  }
  std::string bytes;  // 6 bits for each digit in turn
  for (uint32_t i = 0; i < 64; i += 4) {
    const uint32_t bits = i << 18 | (i + 1) << 12 | (i + 2) << 6 | (i + 3);
    for (const int shift : {16, 8, 0}) bytes += static_cast<char>(bits >> shift);
  }
  CHECK(encoded(bytes) == "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");
}

TEST_CASE("base64 is read back as it was written") {
  Random random(1);
  for (int i = 0; i < 2000; ++i) {
    std::string bytes(random.below(40), '\0');
    for (char& c : bytes) c = static_cast<char>(random.below(256));
    REQUIRE(decoded(encoded(bytes)) == bytes);
  }
}

TEST_CASE("other text is not base64") {
  for (const char* const text :
       {"Zg", "Zg=", "Zg=a", "Z===", "====", "Zg==Zg==", "Zm9v\n", "Zm9*", "Zm-_", "Zh==", "Zm9="})
    CHECK_MESSAGE(decoded(text) == "refused", text);
}
