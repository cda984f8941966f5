// Products for attention, with small factors that fit in the cache. Included by inference.h and
// avx512_bf16.cpp, once for each instruction set, inside its namespace; so everything is static.

// Storage of the left factor a [m,k]: by rows, a_stride apart, or transposed.
enum class Left { rows, transposed };

// Unrolls before arrays are assigned to registers; otherwise they pass through memory at the start and end of
// a block.
#define UNROLLED _Pragma("GCC unroll 8")

// Rows of b to prefetch ahead. A panel is streamed from memory, and the hardware prefetcher stops every 4
// KiB, which is 16 rows: for few rows of x, this costs a third of the time.
static constexpr int64_t kPrefetchAhead = 16;

// Factors in f32.
struct Floats {
  static constexpr int64_t kInTerm = 1;  // numbers in the place of a float
  static inline Vector exponential(Vector x) { return exp_of_low(x); }
  static inline Vector spread(const float* x) { return all(*x); }
  static inline Vector multiply_add(Vector sum, Vector a, Vector b) { return sum + a * b; }
};

#ifdef __AVX512BF16__
// Factors with two bf16 in the place of each float, whose products are both added: the depth of a product is
// the number of pairs.
struct Pairs {
  static constexpr int64_t kInTerm = 2;
  static inline Vector exponential(Vector x) { return rough_exp_of(x); }
  static inline Vector spread(const float* x) {
    typedef int32_t Bits __attribute__((may_alias));
    return reinterpret_cast<Vector>(Integers{} + *reinterpret_cast<const Bits*>(x));
  }
  static inline Vector multiply_add(Vector sum, Vector a, Vector b) {
    return reinterpret_cast<Vector>(_mm512_dpbf16_ps(
        reinterpret_cast<__m512>(sum), reinterpret_cast<__m512bh>(a), reinterpret_cast<__m512bh>(b)));
  }
};
#endif

// A block of kRows × kVectors·kLanes numbers stays in registers over the whole of k. Each number is one chain
// of multiply-adds in the order of k, so its bits do not depend on the block's position or shape.
template <class Numbers, Into kInto, Left kLeft, int kRows, int kVectors>
static inline void product_block(int64_t k, const float* a, int64_t a_stride, const float* b,
                                 int64_t b_stride, float* c, int64_t c_stride) {
  Vector sums[kRows][kVectors];
  UNROLLED for (int r = 0; r < kRows; ++r) {
    UNROLLED for (int v = 0; v < kVectors; ++v) sums[r][v] = Vector{};
  }
  for (int64_t i = 0; i < k; ++i) {
    Vector columns[kVectors];
    UNROLLED for (int v = 0; v < kVectors; ++v) {
      columns[v] = load(b + i * b_stride + v * kLanes);
      __builtin_prefetch(b + (i + kPrefetchAhead) * b_stride + v * kLanes);
    }
    UNROLLED for (int r = 0; r < kRows; ++r) {
      const Vector factor = Numbers::spread(a + (kLeft == Left::rows ? r * a_stride + i : i * a_stride + r));
      UNROLLED for (int v = 0; v < kVectors; ++v) {
        sums[r][v] = Numbers::multiply_add(sums[r][v], factor, columns[v]);
      }
    }
  }
  UNROLLED for (int r = 0; r < kRows; ++r) {
    UNROLLED for (int v = 0; v < kVectors; ++v) {
      float* to = c + r * c_stride + v * kLanes;
      store(to, kInto == Into::add ? load(to) + sums[r][v] : sums[r][v]);
    }
  }
}

static constexpr int kBlockRows = 6;
static constexpr int kBlockVectors = BERT_LANES == 16 ? 4 : 2;

template <class Numbers, Into kInto, Left kLeft, int kVectors>
static inline void product_columns(int64_t m, int64_t k, const float* a, int64_t a_stride, const float* b,
                                   int64_t b_stride, float* c, int64_t c_stride) {
  const int64_t a_row = kLeft == Left::rows ? a_stride : 1;
  int64_t row = 0;
  for (; row + kBlockRows <= m; row += kBlockRows) {
    product_block<Numbers, kInto, kLeft, kBlockRows, kVectors>(k, a + row * a_row, a_stride, b, b_stride,
                                                               c + row * c_stride, c_stride);
  }
  for (; row + 2 <= m; row += 2) {
    product_block<Numbers, kInto, kLeft, 2, kVectors>(k, a + row * a_row, a_stride, b, b_stride,
                                                      c + row * c_stride, c_stride);
  }
  if (row < m) {
    product_block<Numbers, kInto, kLeft, 1, kVectors>(k, a + row * a_row, a_stride, b, b_stride,
                                                      c + row * c_stride, c_stride);
  }
}

template <Into kInto, Left kLeft = Left::rows, class Numbers = Floats>
static void product_into(int64_t m, int64_t n, int64_t k, const float* a, int64_t a_stride, const float* b,
                         int64_t b_stride, float* c, int64_t c_stride) {
  constexpr int64_t kWide = kBlockVectors * kLanes;
  int64_t column = 0;
  for (; column + kWide <= n; column += kWide) {
    product_columns<Numbers, kInto, kLeft, kBlockVectors>(m, k, a, a_stride, b + column, b_stride, c + column,
                                                          c_stride);
  }
  for (; column + 2 * kLanes <= n; column += 2 * kLanes) {
    product_columns<Numbers, kInto, kLeft, 2>(m, k, a, a_stride, b + column, b_stride, c + column, c_stride);
  }
  for (; column < n; column += kLanes) {
    product_columns<Numbers, kInto, kLeft, 1>(m, k, a, a_stride, b + column, b_stride, c + column, c_stride);
  }
}

// Not that of nn/blocks.h: an inline function shared with code for other instruction sets could be compiled
// for either.
static inline int64_t round_up(int64_t n, int64_t to) { return (n + to - 1) / to * to; }
