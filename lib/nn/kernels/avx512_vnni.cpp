// What is faster with AVX512_VNNI, in place of the same of avx512.cpp.
#include <immintrin.h>
#include <stdint.h>

#include "nn/kernels/kernels.h"

#define BERT_KERNELS kernels_avx512_vnni
#define BERT_LANES 16

namespace bert::nn::BERT_KERNELS {

#include "nn/kernels/math.h"
// Which uses it.
#include "nn/kernels/products.h"

void use(Kernels& table) { table.multiply_panel_i8 = multiply_panel<Quads>; }

}  // namespace bert::nn::BERT_KERNELS
