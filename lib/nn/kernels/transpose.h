// Included by inference.h and avx512_bf16.cpp, inside their namespace.

// Interleaves the lanes of a and b: their lower halves, or their upper halves.
#if BERT_LANES == 16
#define BERT_LOW_LANES 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define BERT_HIGH_LANES 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#elif BERT_LANES == 8
#define BERT_LOW_LANES 0, 8, 1, 9, 2, 10, 3, 11
#define BERT_HIGH_LANES 4, 12, 5, 13, 6, 14, 7, 15
#else
#define BERT_LOW_LANES 0, 4, 1, 5
#define BERT_HIGH_LANES 2, 6, 3, 7
#endif

// to [kLanes, kLanes] = from transposed. Each round interleaves the lanes of rows i and i + kLanes/2; after
// log2(kLanes) rounds, columns have become rows.
static inline void transpose_square(const float* from, int64_t from_stride, float* to, int64_t to_stride) {
  Vector rows[kLanes];
#pragma GCC unroll 16
  for (int i = 0; i < kLanes; ++i) rows[i] = load(from + i * from_stride);
#pragma GCC unroll 4
  for (int round = 1; round < kLanes; round *= 2) {
    Vector next[kLanes];
#pragma GCC unroll 16
    for (int i = 0; i < kLanes / 2; ++i) {
      next[2 * i] = __builtin_shufflevector(rows[i], rows[i + kLanes / 2], BERT_LOW_LANES);
      next[2 * i + 1] = __builtin_shufflevector(rows[i], rows[i + kLanes / 2], BERT_HIGH_LANES);
    }
#pragma GCC unroll 16
    for (int i = 0; i < kLanes; ++i) rows[i] = next[i];
  }
#pragma GCC unroll 16
  for (int i = 0; i < kLanes; ++i) store(to + i * to_stride, rows[i]);
}
#undef BERT_LOW_LANES
#undef BERT_HIGH_LANES

// to [cols', rows'] = from [rows, cols] transposed, zero-padded if rows' or cols' is larger. rows' is a
// multiple of kLanes.
struct Transposed {
  float* to;
  int64_t stride;
  int64_t rows, cols;  // rows', cols'
};
static void transpose(const float* from, int64_t stride, int64_t rows, int64_t cols, Transposed out) {
  for (int64_t row = 0; row < out.rows; row += kLanes) {
    for (int64_t col = 0; col < out.cols; col += kLanes) {
      float* const square = out.to + col * out.stride + row;
      if (row + kLanes <= rows && col + kLanes <= cols) {
        transpose_square(from + row * stride + col, stride, square, out.stride);
        continue;
      }
      for (int64_t i = 0; i < kLanes && col + i < out.cols; ++i) {
        for (int64_t j = 0; j < kLanes; ++j) {
          const bool inside = row + j < rows && col + i < cols;
          square[i * out.stride + j] = inside ? from[(row + j) * stride + col + i] : 0.0f;
        }
      }
    }
  }
}

static inline void transpose_rows(int64_t rows, int64_t cols, const float* from, int64_t from_stride,
                                  float* to, int64_t stride) {
  transpose(from, from_stride, rows, cols, {to, stride, stride, cols});
}
