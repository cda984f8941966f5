// Vectors of kLanes floats and functions on them, using the compiler's vector extension. Included only by
// inference.h, once for each instruction set, inside its namespace; so everything is static.

typedef float Vector __attribute__((vector_size(4 * BERT_LANES), aligned(4), may_alias));
typedef int32_t Integers __attribute__((vector_size(4 * BERT_LANES), aligned(4), may_alias));
static constexpr int64_t kLanes = BERT_LANES;

static inline Vector load(const float* p) { return *reinterpret_cast<const Vector*>(p); }
static inline void store(float* p, Vector v) { *reinterpret_cast<Vector*>(p) = v; }
static inline Vector all(float x) { return x - Vector{}; }
static inline Vector select(Integers mask, Vector yes, Vector no) { return mask ? yes : no; }
// Mask of the lanes with a number less than n.
static inline Integers lanes_below(int64_t n) {
  static constexpr int32_t kNumbers[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  return *reinterpret_cast<const Integers*>(kNumbers) < static_cast<int32_t>(n);
}
static inline Vector max_of(Vector a, Vector b) { return select(a > b, a, b); }
static inline Vector min_of(Vector a, Vector b) { return select(a < b, a, b); }
static inline Vector magnitude(Vector x) {
  return reinterpret_cast<Vector>(reinterpret_cast<Integers>(x) & (Integers{} + 0x7fffffff));
}

template <int kCount>
struct Part {
  typedef float Numbers __attribute__((vector_size(4 * kCount), aligned(4), may_alias));
};

// Folds the lanes as a tree, always in the same order: upper half with lower half, repeatedly.
template <int kCount, class Function>
static inline float fold_lanes(const float* lanes, Function f) {
  if constexpr (kCount == 2) {
    return f(lanes[0], lanes[1]);
  } else {
    using Half = typename Part<kCount / 2>::Numbers;
    const Half lower = *reinterpret_cast<const Half*>(lanes),
               upper = *reinterpret_cast<const Half*>(lanes + kCount / 2);
    float folded[kCount / 2];
    *reinterpret_cast<Half*>(folded) = f(lower, upper);
    return fold_lanes<kCount / 2>(folded, f);
  }
}
static inline float sum_lanes(Vector v) {
  float lanes[BERT_LANES];
  store(lanes, v);
  return fold_lanes<BERT_LANES>(lanes, [](auto a, auto b) { return a + b; });
}
static inline float max_lanes(Vector v) {
  float lanes[BERT_LANES];
  store(lanes, v);
  return fold_lanes<BERT_LANES>(lanes, [](auto a, auto b) { return a > b ? a : b; });
}

// Index of the first occurrence of a value among n numbers, or -1. Skips parts without it by whole vectors.
static inline int64_t place_of(float value, const float* numbers, int64_t n) {
  constexpr int64_t kPart = 512;
  int64_t i = 0;
  for (bool found = false; !found && i + kPart <= n; i += found ? 0 : kPart) {
    Integers equal = {};
    for (int64_t j = i; j < i + kPart; j += kLanes) equal |= load(numbers + j) == all(value);
    found = max_lanes(select(equal, all(1.0f), Vector{})) > 0;
  }
  while (i < n && !(numbers[i] == value)) ++i;
  return i < n ? i : -1;
}

// exp(x) = 2^n · e^r with n = round(x / ln 2), |r| <= ln(2)/2 and a polynomial fitted to e^r (relative error
// 2e-9 before rounding). Below -87.3 the result is the smallest normal number; NaN stays NaN.
static inline Vector exp_of(Vector x) {
  const Vector clamped = select(x < all(-87.3f), all(-87.3f), select(x > all(88.3f), all(88.3f), x));
  const Vector shifted = clamped * 1.44269504f + 12582912.0f;  // 1.5·2^23: the low bits of the sum are n
  const Vector n = shifted - 12582912.0f;
  const Vector r =
      (clamped - n * 0.693359375f) + n * 2.12194440e-4f;  // ln 2 in two parts, the first exact in products
  Vector p = all(1.3836839934810996e-3f);
  p = p * r + 8.374817669391632e-3f;
  p = p * r + 4.166822507977486e-2f;
  p = p * r + 0.16666419804096222f;
  p = p * r + 0.49999991059303284f;
  p = p * r + 1.0f;
  p = p * r + 1.0f;
  const Integers exponent = reinterpret_cast<Integers>(shifted) << 23;
  return reinterpret_cast<Vector>(reinterpret_cast<Integers>(p) + exponent);
}

// tanh(x): an odd polynomial for |x| < 0.625, where exp would cancel; otherwise 1 - 2 / (e^2|x| + 1) with x's
// sign.
static inline Vector tanh_of(Vector x) {
  const Vector square = x * x;
  Vector p = all(-5.672421772032976e-3f);
  p = p * square + 2.060314640402794e-2f;
  p = p * square - 5.37252314388752e-2f;
  p = p * square + 0.13331185281276703f;
  p = p * square - 0.3333326280117035f;
  const Vector small = x + x * (p * square);
  const Vector large = 1.0f - 2.0f / (exp_of(2.0f * magnitude(x)) + 1.0f);
  const Vector wide = select(x < all(0.0f), -large, large);
  return select(magnitude(x) < all(0.625f), small, wide);
}

// e^(-x²/2)
static inline Vector normal_bell(Vector x) {
  const Vector z = magnitude(x) * 0.70710678f;
  return exp_of(-z * z);
}

// Normal distribution function by erfc(z) = e^(-z²)·Q(t), t = 1 / (1 + 0.35 z), z = |x|/√2, Q fitted on [0,
// 10] (absolute error 8e-9; the tail keeps its relative precision, and so does GELU of large negative
// numbers). bell = normal_bell(x).
static inline Vector normal_cdf(Vector x, Vector bell) {
  const Vector z = magnitude(x) * 0.70710678f;
  const Vector t = 1.0f / (1.0f + 0.35f * z);
  Vector q = all(-0.20540186762809753f);
  q = q * t + 0.8106803894042969f;
  q = q * t - 0.7639409303665161f;
  q = q * t + 0.7831364274024963f;
  q = q * t - 0.07677511870861053f;
  q = q * t + 0.2633735239505768f;
  q = q * t + 0.18840612471103668f;
  q = q * t + 5.214079865254462e-4f;
  const Vector half_tail = 0.5f * q * bell;
  return select(x < all(0.0f), half_tail, 1.0f - half_tail);
}

static inline Vector gelu(Vector x) { return x * normal_cdf(x, normal_bell(x)); }
static inline Vector gelu_tanh(Vector x) {
  return 0.5f * x * (1.0f + tanh_of(0.7978845608f * (x + 0.044715f * (x * x * x))));
}
static inline Vector relu(Vector x) { return select(x < all(0.0f), all(0.0f), x); }
static inline Vector silu(Vector x) { return x / (1.0f + exp_of(-x)); }

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
