// Parts of the rows of a batch, for steps that work on each row separately: a thread computes all steps of a
// part alone, so that what one step writes is in its cache for the next one, and threads do not wait for each
// other in between. Rows have the same bits as computed by all threads together.
//
// But each thread reads all weights for its rows. Parts are used in bf16 and int8, in inference, if they have
// enough rows; two threads on a Zen 5 then take up to 30 % less time (MiniLM in int8), and from nothing to
// 10 % less with BERT-base. In f32 activations fill the caches, and it takes up to 2 % more. With AMX it was
// not measured, and products of so few rows would wait for weights.
#pragma once

#include <cstdint>
#include <functional>

#include "base/dtype.h"
#include "nn/pass.h"

namespace bert::nn {

// How many parts these rows have, each for products with weights of this many numbers; 1 if all threads are
// to compute all rows together.
int64_t parts_of_rows(const Pass& pass, Dtype dtype, int64_t rows, int64_t numbers);

struct RowPart {
  int64_t first, rows;
  int thread;
};
// Calls f for each part with the pass of the thread that computes it, which has no sequences.
void for_parts_of_rows(const Pass& pass, int64_t parts, int64_t rows,
                       const std::function<void(const Pass&, const RowPart&)>& f);

}  // namespace bert::nn
