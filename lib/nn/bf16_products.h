// Products in training whose factors are rounded to bf16 for one product; sums are f32.
#pragma once

#include <cstdint>
#include <functional>

#include "nn/blocks.h"
#include "nn/context.h"
#include "nn/panels.h"
#include "nn/products.h"

namespace bert::nn {

// A product with a stored by columns and b by rows, such as a gradient of weights. Row sums use the unrounded
// a.
void multiply_bf16(Context& context, const Product& product);

// Computes x·B of `count` rows of x, from `first` on, as with panels, which have no memory: each task packs
// what it needs, which pays off if B changes before its next product. Tiles are those of the rows from
// `first` on.
void multiply_unpacked(Context& context, const Tensor& x, int64_t first, int64_t count, const Panels& panels,
                       const Factor& b, const std::function<void(const Tile&)>& finish);

}  // namespace bert::nn
