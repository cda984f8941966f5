// Vectors of kLanes floats and functions on them, using the compiler's vector extension. Included by
// inference.h and avx512_bf16.cpp, once for each instruction set, inside their namespaces; so everything is
// static.

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
// x in every lane, as a bound of another vector: with a constant, GCC does not find the instructions for
// minimum and maximum.
static inline Vector bound(float x) {
  Vector v = all(x);
#if defined(__x86_64__)
  asm("" : "+v"(v));
#endif
  return v;
}
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
template <class Function>
static inline float fold_lanes(Vector v, Function f) {
  float lanes[BERT_LANES];
  store(lanes, v);
  return fold_lanes<BERT_LANES>(lanes, f);
}
static inline float sum_lanes(Vector v) {
  return fold_lanes(v, [](auto a, auto b) { return a + b; });
}
static inline float min_lanes(Vector v) {
  return fold_lanes(v, [](auto a, auto b) { return a < b ? a : b; });
}
static inline float max_lanes(Vector v) {
  return fold_lanes(v, [](auto a, auto b) { return a > b ? a : b; });
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
static inline Vector exp_of_low(Vector x) {  // x <= 88.3
  const Vector clamped = max_of(bound(-87.3f), x);
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
static inline Vector exp_of(Vector x) { return exp_of_low(min_of(bound(88.3f), x)); }

// The same for x <= 0 if the result is rounded to bf16 next (relative error 1e-4).
static inline Vector rough_exp_of(Vector x) {
  const Vector clamped = max_of(bound(-87.3f), x), shifted = clamped * 1.44269504f + 12582912.0f;
  const Vector r = clamped - (shifted - 12582912.0f) * 0.69314718f;
  Vector p = all(0.16566843f);
  p = p * r + 0.5049633f;
  p = p * r + 1.00016419f;
  p = p * r + 0.99992807f;
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
static inline Vector normal_bell(Vector x) { return exp_of_low(-0.5f * (x * x)); }

// 1 - Φ(|x|) of the normal distribution by erfc(z) = e^(-z²)·Q(t), t = 1 / (1 + 0.35 z), z = |x|/√2, Q fitted
// on [0, 10] (absolute error 8e-9; the tail keeps its relative precision, and so does GELU of large negative
// numbers). bell = normal_bell(x).
static inline Vector normal_tail(Vector x, Vector bell) {
  const Vector t = 1.0f / (1.0f + 0.24748737341529164f * magnitude(x));
  Vector q = all(-0.102700933814048767f);  // Q / 2
  q = q * t + 0.40534019470214845f;
  q = q * t - 0.38197046518325805f;
  q = q * t + 0.3915682137012482f;
  q = q * t - 0.038387559354305265f;
  q = q * t + 0.1316867619752884f;
  q = q * t + 0.09420306235551836f;
  q = q * t + 2.607039927132731e-4f;
  return q * bell;
}

static inline Vector gelu_of_tail(Vector x, Vector tail) { return max_of(x, Vector{}) - magnitude(x) * tail; }
static inline Vector gelu(Vector x) { return gelu_of_tail(x, normal_tail(x, normal_bell(x))); }
// For results that are rounded to bf16 or to 8 bits next: an odd polynomial fitted to Φ(x) - 1/2 on
// [-4.4, 4.4] (absolute error of GELU 5e-5; beyond, 1e-5·|x|), in half the time.
static inline Vector rough_gelu(Vector x) {
  const Vector near = max_of(bound(-4.4f), min_of(bound(4.4f), x)), square = near * near;
  Vector p = all(3.569501985656309e-11f);
  p = p * square - 3.7541076913782945e-9f;
  p = p * square + 1.7408670771601464e-7f;
  p = p * square - 4.7249036470020656e-6f;
  p = p * square + 8.429338049609214e-5f;
  p = p * square - 1.0549946455284953e-3f;
  p = p * square + 9.643035009503365e-3f;
  p = p * square - 6.607644259929657e-2f;
  p = p * square + 0.3987616300582886f;
  return x * (p * near + 0.5f);
}
static inline Vector gelu_tanh(Vector x) {
  return 0.5f * x * (1.0f + tanh_of(0.7978845608f * (x + 0.044715f * (x * x * x))));
}
static inline Vector relu(Vector x) { return select(x < all(0.0f), all(0.0f), x); }
static inline Vector silu(Vector x) { return x / (1.0f + exp_of(-x)); }

// y += x
static inline void add(int64_t n, const float* x, float* y) {
  for (int64_t i = 0; i < n; ++i) y[i] += x[i];
}
