// Number formats of stored tensors and their conversion to and from f32.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace bert {

enum class Dtype { f64, f32, f16, bf16, i64, i32, i16, i8, u8, boolean };

size_t size_of(Dtype dtype);            // bytes of one number
std::string_view name_of(Dtype dtype);  // as safetensors writes it: "F32", "BF16", "BOOL"
std::optional<Dtype> dtype_named(std::string_view name);
bool is_floating(Dtype dtype);

// Converts `to.size()` numbers starting at `from` (any alignment) to f32. f64 is rounded to nearest. Only for
// floating-point formats.
void to_f32(Dtype dtype, const std::byte* from, std::span<float> to);

// Rounds to f32, f16 or bf16, to nearest, ties to even. Values out of range become infinity.
void from_f32(std::span<const float> from, Dtype dtype, std::byte* to);

}  // namespace bert
