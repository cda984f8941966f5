#include "nn/kernels/kernels.h"

#include "nn/blocks.h"
#include "nn/onednn.h"

namespace bert::nn {

const Kernels& usable_kernels() {
#if defined(__x86_64__)
  static const Kernels table = [] {
    if (usable_isa() == Isa::baseline) return kernels_baseline::kTable;
    const bool is_avx512 = usable_isa() == Isa::avx512;
    Kernels with = is_avx512 ? kernels_avx512::kTable : kernels_avx2::kTable;
    if (has_exact_bytes()) (is_avx512 ? kernels_avx512_vnni::use : kernels_avx2_vnni::use)(with);
    if (has_bf16_products()) kernels_avx512_bf16::use(with);
    return with;
  }();
  return table;
#else
  return kernels_baseline::kTable;
#endif
}

// Sized for attend_backward, which needs more than attend: k and v transposed, and k, dk, dv [length, size];
// q, dout, dq and two blocks of scores for kAttentionRows. With relative positions: their keys and queries,
// these transposed, and the gradients of both; products with them of all keys and of kAttentionRows, and
// their gradients.
int64_t attention_scratch(int64_t length, int64_t size, int64_t position_rows) {
  const int64_t whole_size = round_up(size, 16), whole_length = round_up(length, 16);
  const int64_t whole_rows = round_up(position_rows, kAttentionColumns);
  const int64_t of_positions =
      6 * whole_rows * whole_size + 2 * (whole_length + kAttentionRows) * (whole_rows + 16);
  return 2 * round_up(length, kAttentionColumns) * whole_size + 3 * whole_length * whole_size +
         kAttentionRows * (3 * whole_size + 2 * (whole_length + 16)) + (position_rows > 0 ? of_positions : 0);
}

// y of both transposed; y and dy; x of both and dx, and two blocks of scores, for kAttentionRows.
int64_t relation_scratch(int64_t length, int64_t size, int64_t teacher_size) {
  const int64_t whole_size = round_up(size, 16), its_size = round_up(teacher_size, 16);
  const int64_t whole_length = round_up(length, 16);
  return round_up(length, kAttentionColumns) * (whole_size + its_size) + 2 * whole_length * whole_size +
         kAttentionRows * (2 * whole_size + its_size + 2 * (whole_length + 16));
}

}  // namespace bert::nn
