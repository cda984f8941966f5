#include "base/dtype.h"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <vector>

using namespace bert;

namespace {

float widened(Dtype dtype, uint16_t bits) {
  float value = 0;
  to_f32(dtype, reinterpret_cast<const std::byte*>(&bits), {&value, 1});
  return value;
}

// IEEE 754 binary16, from its definition.
float half_by_definition(uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  float value = exponent == 0 ? std::ldexp(static_cast<float>(fraction), -24)
                              : std::ldexp(static_cast<float>(fraction + 1024), exponent - 25);
  if (exponent == 31) value = fraction == 0 ? INFINITY : NAN;
  return bits & 0x8000 ? -value : value;
}

}  // namespace

TEST_CASE("every f16 value widens to the number that IEEE 754 defines") {
  for (int bits = 0; bits < 65536; ++bits) {
    const float got = widened(Dtype::f16, static_cast<uint16_t>(bits));
    const float expected = half_by_definition(static_cast<uint16_t>(bits));
    const bool same = std::isnan(expected)
                          ? std::isnan(got)
                          : std::bit_cast<uint32_t>(got) == std::bit_cast<uint32_t>(expected);
    CHECK_MESSAGE(same, "bits ", bits, " gave ", got, ", expected ", expected);
  }
}

TEST_CASE("bf16 is the upper half of f32") {
  CHECK(widened(Dtype::bf16, 0x3f80) == 1.0f);
  CHECK(widened(Dtype::bf16, 0xc0a0) == -5.0f);
  CHECK(std::isnan(widened(Dtype::bf16, 0x7fc0)));
}

TEST_CASE("dtype names are those used by safetensors") {
  for (auto dtype : {Dtype::f64, Dtype::f32, Dtype::f16, Dtype::bf16, Dtype::i64, Dtype::boolean}) {
    CHECK(dtype_named(name_of(dtype)) == dtype);
  }
  CHECK(!dtype_named("F8_E4M3"));
}

namespace {

uint16_t narrowed(float value, Dtype dtype) {
  uint16_t bits = 0;
  from_f32({&value, 1}, dtype, reinterpret_cast<std::byte*>(&bits));
  return bits;
}

}  // namespace

TEST_CASE("f16 and bf16 values survive a round trip through f32") {
  for (const auto dtype : {Dtype::f16, Dtype::bf16}) {
    for (int bits = 0; bits < 65536; ++bits) {
      const float value = widened(dtype, static_cast<uint16_t>(bits));
      const auto back = narrowed(value, dtype);
      const bool same = std::isnan(value) ? std::isnan(widened(dtype, back)) : back == bits;
      CHECK_MESSAGE(same, name_of(dtype), " bits ", bits, " came back as ", back);
    }
  }
}

// For neighbours a and b, one of them even: a value below the midpoint rounds to a, above it to b, at it to
// the even one.
TEST_CASE("f32 values round to the nearest f16 or bf16, ties to even") {
  for (const auto dtype : {Dtype::f16, Dtype::bf16}) {
    const int infinity = dtype == Dtype::f16 ? 0x7c00 : 0x7f80;
    for (int bits = 0; bits + 1 < infinity; ++bits) {
      const auto a = static_cast<uint16_t>(bits), b = static_cast<uint16_t>(bits + 1);
      const float middle = widened(dtype, a) + (widened(dtype, b) - widened(dtype, a)) / 2;  // exact
      CHECK(narrowed(std::nextafter(middle, 0.0f), dtype) == a);
      CHECK(narrowed(middle, dtype) == (bits % 2 == 0 ? a : b));
      CHECK(narrowed(std::nextafter(middle, INFINITY), dtype) == b);
      CHECK(narrowed(-middle, dtype) == ((bits % 2 == 0 ? a : b) | 0x8000));
    }
  }
  CHECK(narrowed(std::nextafter(65520.0f, 0.0f), Dtype::f16) == 0x7bff);
  CHECK(narrowed(65520.0f, Dtype::f16) == 0x7c00);
  CHECK(narrowed(-1e30f, Dtype::f16) == 0xfc00);
  CHECK(narrowed(3.4e38f, Dtype::bf16) == 0x7f80);
}
