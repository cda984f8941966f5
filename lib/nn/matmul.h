// oneDNN's matmul primitive. It supports bf16 and reads panels in place; dnnl_sgemm would copy them first.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/dtype.h"
#include "nn/kernels/kernels.h"

namespace bert::nn {

constexpr int64_t kMatmulColumns = kPanelColumns<16>;

// c [rows, cols] = a [rows, depth] · b [depth, cols], or c += a·b, all dense. c is f32; if b is i8, a is u8
// and c is i32.
struct MatmulShape {
  Dtype dtype = Dtype::f32;  // of b, and of a unless b is i8
  int64_t rows = 0, cols = 0, depth = 0;
  bool a_by_columns = false;  // a is stored as [depth, rows]
  bool panel = false;         // b is one of the Panels, with kMatmulColumns columns
  Into into = Into::replace;

  auto operator<=>(const MatmulShape&) const = default;
};

// Runs on the calling thread, which caches the primitive for each shape. Throws std::bad_alloc.
void matmul(const MatmulShape& shape, const std::byte* a, const std::byte* b, void* c);

// Name of oneDNN's kernel for products with panels of this format on this machine; "" if there is no fast
// one.
std::string matmul_code(Dtype dtype);

}  // namespace bert::nn
