#include "base/dtype.h"

#include <array>
#include <bit>
#include <cassert>
#include <cstring>

namespace bert {
namespace {

static_assert(std::endian::native == std::endian::little, "files are read as little-endian memory");

struct Format {
  Dtype dtype;
  std::string_view name;
  size_t size;
};
constexpr std::array kFormats = {
    Format{Dtype::f64, "F64", 8},      Format{Dtype::f32, "F32", 4}, Format{Dtype::f16, "F16", 2},
    Format{Dtype::bf16, "BF16", 2},    Format{Dtype::i64, "I64", 8}, Format{Dtype::i32, "I32", 4},
    Format{Dtype::i16, "I16", 2},      Format{Dtype::i8, "I8", 1},   Format{Dtype::u8, "U8", 1},
    Format{Dtype::boolean, "BOOL", 1},
};

const Format& format_of(Dtype dtype) { return kFormats[static_cast<size_t>(dtype)]; }

template <class T>
T load(const std::byte* from, size_t i) {
  T value;
  std::memcpy(&value, from + i * sizeof(T), sizeof(T));
  return value;
}

float from_bf16(uint16_t bits) { return std::bit_cast<float>(bits << 16); }

// Exponent and mantissa move to their positions in f32; multiplying by 2^112 corrects the exponent bias and
// normalizes subnormals. Infinity and NaN (exponent 31) keep all exponent bits set.
float from_f16(uint16_t bits) {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000u) << 16;
  const uint32_t magnitude = static_cast<uint32_t>(bits & 0x7fffu) << 13;
  const float scaled = std::bit_cast<float>(magnitude) * 0x1p112f;
  const uint32_t special = magnitude >= 0x0f800000u ? 0x7f800000u : 0;
  return std::bit_cast<float>(std::bit_cast<uint32_t>(scaled) | special | sign);
}

// Rounds the upper half according to the lower half. A NaN remains a NaN.
uint16_t to_bf16(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<uint16_t>(bits >> 16 | 0x40u);
  return static_cast<uint16_t>((bits + 0x7fffu + (bits >> 16 & 1)) >> 16);
}

// Below 2^-14 f16 has the spacing that f32 has at 0.5, so adding 0.5 rounds correctly.
uint16_t to_f16(float value) {
  constexpr uint32_t kLeastNormal = 0x38800000u, kTooLarge = 0x477ff000u, kInfinity = 0x7f800000u;
  const auto bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7fffffffu;
  uint32_t half;
  if (magnitude > kInfinity) {
    half = 0x7e00u | (magnitude >> 13 & 0x3ffu);
  } else if (magnitude >= kTooLarge) {
    half = 0x7c00u;
  } else if (magnitude < kLeastNormal) {
    half = std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - std::bit_cast<uint32_t>(0.5f);
  } else {
    half = (magnitude - (112u << 23) + 0xfffu + (magnitude >> 13 & 1)) >> 13;
  }
  return static_cast<uint16_t>(half | sign);
}

}  // namespace

size_t size_of(Dtype dtype) { return format_of(dtype).size; }

std::string_view name_of(Dtype dtype) { return format_of(dtype).name; }

std::optional<Dtype> dtype_named(std::string_view name) {
  for (const auto& format : kFormats) {
    if (format.name == name) return format.dtype;
  }
  return std::nullopt;
}

bool is_floating(Dtype dtype) {
  return dtype == Dtype::f64 || dtype == Dtype::f32 || dtype == Dtype::f16 || dtype == Dtype::bf16;
}

void to_f32(Dtype dtype, const std::byte* from, std::span<float> to) {
  assert(is_floating(dtype));
  const size_t count = to.size();
  switch (dtype) {
    case Dtype::f32:
      std::memcpy(to.data(), from, to.size_bytes());
      break;
    case Dtype::f16:
      for (size_t i = 0; i < count; ++i) to[i] = from_f16(load<uint16_t>(from, i));
      break;
    case Dtype::bf16:
      for (size_t i = 0; i < count; ++i) to[i] = from_bf16(load<uint16_t>(from, i));
      break;
    default:
      for (size_t i = 0; i < count; ++i) to[i] = static_cast<float>(load<double>(from, i));
  }
}

void from_f32(std::span<const float> from, Dtype dtype, std::byte* to) {
  if (dtype == Dtype::f32) {
    std::memcpy(to, from.data(), from.size_bytes());
    return;
  }
  assert(dtype == Dtype::f16 || dtype == Dtype::bf16);
  for (size_t i = 0; i < from.size(); ++i) {
    const uint16_t bits = dtype == Dtype::f16 ? to_f16(from[i]) : to_bf16(from[i]);
    std::memcpy(to + i * sizeof bits, &bits, sizeof bits);
  }
}

}  // namespace bert
