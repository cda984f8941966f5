// oneDNN's matmul primitive. It reads panels in place, which dnnl_sgemm would copy first, and knows bf16.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/dtype.h"
#include "nn/kernels.h"

namespace bert::nn {

constexpr int64_t kMatmulColumns = 64;  // of a panel

// c [rows, cols] = a [rows, depth] · b [depth, cols], or c += a·b, all three dense. c is f32; if b is i8, a
// is u8 and c is i32.
struct MatmulShape {
  Dtype dtype = Dtype::f32;  // of b, and of a unless this is i8
  int64_t rows = 0, cols = 0, depth = 0;
  bool a_by_columns = false;  // a is stored as [depth, rows]
  bool panel = false;         // b is a panel of Panels, which has kMatmulColumns columns
  Into into = Into::replace;

  auto operator<=>(const MatmulShape&) const = default;
};

// Computes it on the calling thread, which keeps the primitive of each shape. Throws std::bad_alloc.
void matmul(const MatmulShape& shape, const std::byte* a, const std::byte* b, void* c);

// The name of oneDNN's kernel for products with panels of this format on this machine; "" if there is no fast
// one.
std::string matmul_code(Dtype dtype);

}  // namespace bert::nn
