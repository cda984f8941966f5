// Products for attention, with small factors that fit in the cache, and of rows with weights. Included by
// inference.h and the files for further instructions, once for each instruction set, inside its namespace; so
// everything is static.

// Storage of the left factor a [m,k]: by rows, a_stride apart, or transposed.
enum class Left { rows, transposed };

// Unrolls before arrays are assigned to registers; otherwise they pass through memory at the start and end of
// a block.
#define UNROLLED _Pragma("GCC unroll 8")

// Factors in f32.
struct Floats {
  static constexpr int64_t kInTerm = 1;  // numbers in the place of a float
  static inline Vector exponential(Vector x) { return exp_of_low(x); }
  static inline Vector spread(const float* x) { return all(*x); }
  static inline Vector multiply_add(Vector sum, Vector a, Vector b) { return sum + a * b; }
};

#if BERT_LANES >= 8
// Factors with several numbers in the place of each float, whose products are all added: the depth of a
// product is the number of these places.
struct Packed {
  static inline Vector spread(const float* x) {
    typedef int32_t Bits __attribute__((may_alias));
    return reinterpret_cast<Vector>(Integers{} + *reinterpret_cast<const Bits*>(x));
  }
};
#ifdef __AVX512BF16__
// Two bf16.
struct Pairs : Packed {
  static constexpr int64_t kInTerm = 2;
  static inline Vector exponential(Vector x) { return rough_exp_of(x); }
  static inline Vector multiply_add(Vector sum, Vector a, Vector b) {
    return reinterpret_cast<Vector>(_mm512_dpbf16_ps(
        reinterpret_cast<__m512>(sum), reinterpret_cast<__m512bh>(a), reinterpret_cast<__m512bh>(b)));
  }
};
#endif
// Four bytes and four integers. Sums are int32. Without VNNI, two products must fit into 16 bits.
struct Quads : Packed {
#if BERT_LANES == 16
  using Bits = __m512i;
#else
  using Bits = __m256i;
#endif
  static constexpr int64_t kInTerm = 4;
  static inline Vector multiply_add(Vector sum, Vector a, Vector b) {
    const auto whole = reinterpret_cast<Bits>(sum), bytes = reinterpret_cast<Bits>(a),
               integers = reinterpret_cast<Bits>(b);
#if defined(__AVX512VNNI__)
    return reinterpret_cast<Vector>(_mm512_dpbusd_epi32(whole, bytes, integers));
#elif defined(__AVXVNNI__)
    return reinterpret_cast<Vector>(_mm256_dpbusd_avx_epi32(whole, bytes, integers));
#elif BERT_LANES == 16
    const Bits pairs = _mm512_maddubs_epi16(bytes, integers);
    return reinterpret_cast<Vector>(_mm512_add_epi32(whole, _mm512_madd_epi16(pairs, _mm512_set1_epi16(1))));
#else
    const Bits pairs = _mm256_maddubs_epi16(bytes, integers);
    return reinterpret_cast<Vector>(_mm256_add_epi32(whole, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1))));
#endif
  }
};
#endif

// A block of kRows × kVectors·kLanes numbers, which stays in registers over the whole of k. Each number is
// one chain of multiply-adds in the order of k, so its bits do not depend on the block's position or shape.
template <int kRows, int kVectors>
struct Block {
  Vector sums[kRows][kVectors] = {};

  // f(vector, where it is in c)
  template <class Function>
  inline void for_each(float* c, int64_t c_stride, Function f) {
    UNROLLED for (int r = 0; r < kRows; ++r) {
      UNROLLED for (int v = 0; v < kVectors; ++v) f(sums[r][v], c + r * c_stride + v * kLanes);
    }
  }

  // sums += a·b, calling each(i) for each row i of b.
  template <class Numbers, Left kLeft, class Function>
  inline void extend(int64_t k, const float* a, int64_t a_stride, const float* b, int64_t b_stride,
                     Function each) {
    for (int64_t i = 0; i < k; ++i) {
      Vector columns[kVectors];
      UNROLLED for (int v = 0; v < kVectors; ++v) columns[v] = load(b + i * b_stride + v * kLanes);
      each(i);
      UNROLLED for (int r = 0; r < kRows; ++r) {
        const Vector factor =
            Numbers::spread(a + (kLeft == Left::rows ? r * a_stride + i : i * a_stride + r));
        UNROLLED for (int v = 0; v < kVectors; ++v) sums[r][v] =
            Numbers::multiply_add(sums[r][v], factor, columns[v]);
      }
    }
  }
};

template <class Numbers, Into kInto, Left kLeft, int kRows, int kVectors>
static inline void product_block(int64_t k, const float* a, int64_t a_stride, const float* b,
                                 int64_t b_stride, float* c, int64_t c_stride) {
  Block<kRows, kVectors> block;
  block.template extend<Numbers, kLeft>(k, a, a_stride, b, b_stride, [](int64_t) {});
  block.for_each(c, c_stride,
                 [](Vector sum, float* to) { store(to, kInto == Into::add ? load(to) + sum : sum); });
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

#if BERT_LANES >= 8
// The depth is cut into chunks that stay in the L1 cache for all rows. Meanwhile the next chunk comes from
// memory, some of its lines with each block.
template <class Numbers>
static void multiply_panel(const PanelProduct& p) {
  constexpr int64_t kColumns = kPanelColumns<kLanes>, kWide = kBlockVectors * kLanes, kLine = 16,
                    kLines = kWide / kLine, kChunk = 4096 / kColumns;
  const int64_t blocks = (p.rows + kBlockRows - 1) / kBlockRows, rest = p.rows - (blocks - 1) * kBlockRows;
  for (int64_t from = 0; from < p.depth; from += kChunk) {
    const int64_t k = p.depth - from < kChunk ? p.depth - from : kChunk;
    const float *const chunk = p.panel + from * kColumns, *const next = from + k < p.depth
                                                                            ? chunk + k * kColumns
                                                                            : p.next;
    for (int64_t column = 0; column < kColumns; column += kWide) {
      // Not inlined: GCC 12 would store the sums of each block in memory in every step.
      const auto multiply_rows = [&]<int kRows>(int64_t i) __attribute__((noinline)) {
        float* const sums = p.sums + i * kBlockRows * kColumns + column;
        const int64_t first = i * kLines / blocks, end = next == nullptr ? first : (i + 1) * kLines / blocks;
        const auto prefetch = [&](int64_t row) {
          for (int64_t line = first; line < end; ++line)
            __builtin_prefetch(next + row * kColumns + column + line * kLine);
        };
        Block<kRows, kBlockVectors> block;
        if (from > 0) block.for_each(sums, kColumns, [](Vector& sum, float* at) { sum = load(at); });
        block.template extend<Numbers, Left::rows>(k, p.x + i * kBlockRows * p.x_stride + from, p.x_stride,
                                                   chunk + column, kColumns, prefetch);
        block.for_each(sums, kColumns, [](Vector sum, float* to) { store(to, sum); });
      };
      for (int64_t i = 0; i < blocks - 1; ++i) multiply_rows.template operator()<kBlockRows>(i);
      if (rest <= 2) {
        multiply_rows.template operator()<2>(blocks - 1);
      } else if (rest <= 4) {
        multiply_rows.template operator()<4>(blocks - 1);
      } else {
        multiply_rows.template operator()<kBlockRows>(blocks - 1);
      }
    }
  }
}
#endif
