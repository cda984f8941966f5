// What is faster with AVX512_BF16, in place of the same of avx512.cpp.
#include <immintrin.h>
#include <stdint.h>

#include "nn/kernels/kernels.h"

#define BERT_KERNELS kernels_avx512_bf16
#define BERT_LANES 16

namespace bert::nn::BERT_KERNELS {

#include "nn/kernels/math.h"
#include "nn/kernels/products.h"
// These use the former.
#include "nn/kernels/bf16.h"
#include "nn/kernels/finish.h"
#include "nn/kernels/transpose.h"
// These use all of them.
#include "nn/kernels/attention.h"

static void attend_bf16(const AttentionHead& head, const DroppedProbabilities& dropped, float* scratch) {
  (head.in_pairs ? attend<Pairs, true> : attend<Pairs>)(head, dropped, scratch);
}

void use(Kernels& table) {
  table.to_bf16 = to_bf16;
  table.pair_rows_bf16 = pair_rows_bf16;
  table.finish_tile_bf16 = finish_tile_bf16;
  table.attend_bf16 = attend_bf16;
  table.multiply_panel_bf16 = multiply_panel<Pairs>;
}

}  // namespace bert::nn::BERT_KERNELS
