// Loops of the optimizer. Included only by inference.h, inside its namespace.

static inline Vector root_of(Vector x) {
  Vector root;
  for (int64_t lane = 0; lane < kLanes; ++lane) root[lane] = __builtin_sqrtf(x[lane]);
  return root;
}

// Replaces numbers that decay towards denormals by zero; NaN stays.
static inline Vector settled(Vector moment) {
  return select(magnitude(moment) < all(1e-34f), Vector{}, moment);
}

static inline Vector first_moment(const AdamStep& step, Vector g, Vector m) {
  return settled(m + step.m_step * (g - m));
}
static inline Vector second_moment(const AdamStep& step, Vector g, Vector v) {
  return settled(v + step.v_step * (g * g - v));
}
static inline Vector direction(const AdamStep& step, Vector m, Vector v, Vector p) {
  return step.m_scale * m / (step.v_scale * root_of(v) + step.epsilon) + step.decay * p;
}

static void adam(int64_t n, const AdamStep& step, const float* g, float* m, float* v, float* p) {
  for (int64_t i = 0; i < n; i += kLanes) {
    const Vector gradient = step.gradient_scale * load(g + i), old = load(p + i);
    const Vector first = first_moment(step, gradient, load(m + i)),
                 second = second_moment(step, gradient, load(v + i));
    store(m + i, first);
    store(v + i, second);
    store(p + i, old - step.rate * direction(step, first, second, old));
  }
}

// Sixteen sums in double precision, each over every sixteenth number.
struct SixteenSums {
  static constexpr int64_t kHalf = kLanes / 2;
  typedef float Floats __attribute__((vector_size(4 * kHalf), aligned(4), may_alias));
  typedef double Doubles __attribute__((vector_size(8 * kHalf)));

  Doubles sums[16 / kHalf] = {};

  void add_squares(const float* x) {  // of 16 numbers
    UNROLLED for (int64_t k = 0; k < 16 / kHalf; ++k) {
      const Floats part = *reinterpret_cast<const Floats*>(x + k * kHalf);
#if defined(__AVX512F__) && !defined(__clang__)  // GCC uses four instructions for this one
      constexpr int kNoRounding = 4;
      const Doubles wide = __builtin_ia32_cvtps2pd512_mask(part, Doubles{}, -1, kNoRounding);
#else
      const Doubles wide = __builtin_convertvector(part, Doubles);
#endif
      sums[k] += wide * wide;
    }
  }
  double total() const {
    double lanes[16];
    for (int64_t i = 0; i < 16; ++i) lanes[i] = sums[i / kHalf][i % kHalf];
    for (int64_t half = 8; half > 0; half /= 2) {
      for (int64_t i = 0; i < half; ++i) lanes[i] += lanes[i + half];
    }
    return lanes[0];
  }
};

static SquareSums adam_moments(int64_t n, const AdamStep& step, const float* g, float* m, float* v,
                               const float* p) {
  SixteenSums of_p, of_r;
  for (int64_t from = 0; from < n; from += 16) {
    float r[16];
    for (int64_t i = 0; i < 16; i += kLanes) {
      const int64_t place = from + i;
      const Vector gradient = step.gradient_scale * load(g + place);
      const Vector first = first_moment(step, gradient, load(m + place)),
                   second = second_moment(step, gradient, load(v + place));
      store(m + place, first);
      store(v + place, second);
      store(r + i, direction(step, first, second, load(p + place)));
    }
    of_p.add_squares(p + from);
    of_r.add_squares(r);
  }
  return {.p = of_p.total(), .r = of_r.total()};
}

static void adam_apply(int64_t n, const AdamStep& step, const float* m, const float* v, float* p) {
  for (int64_t i = 0; i < n; i += kLanes) {
    const Vector old = load(p + i);
    store(p + i, old - step.rate * direction(step, load(m + i), load(v + i), old));
  }
}

// Numbers to prefetch ahead: with a single array, the hardware prefetcher does not use the full memory
// bandwidth.
static constexpr int64_t kReadAhead = 512;

static double sum_of_squares(int64_t n, const float* x) {
  SixteenSums sums;
  for (int64_t i = 0; i < n; i += 16) {
    __builtin_prefetch(x + i + kReadAhead);
    sums.add_squares(x + i);
  }
  return sums.total();
}
