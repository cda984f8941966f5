// Loops for training. Included only by inference.h, inside its namespace.

// ---- layer norm

// Calls f(i) with `load` for whole vectors and with single numbers for the rest.
template <class Function>
static inline void for_each(int64_t n, Function f) {
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes)
    f(
        load, [](float* p, Vector v) { store(p, v); }, i);
  for (; i < n; ++i) f([](const float* p) { return *p; }, [](float* p, float v) { *p = v; }, i);
}

// With x̂ = (s - mean)·r, r = 1 / √(var + ε), and g = dy∘gain:  ds = r·(g - mean(g) - x̂·mean(g∘x̂))
static void layer_norm_backward(int64_t n, const float* s, const float* gain, float epsilon, const float* dy,
                                float* dx, float* dgain, float* dbias) {
  const Moments of_s = moments_of<4>(n, s);
  const float count = static_cast<float>(n), mean = of_s.mean;
  const float r = 1.0f / __builtin_sqrtf(of_s.variance + epsilon);
  const auto g = [&](auto at, int64_t i) { return at(dy + i) * at(gain + i); };
  const auto gx = [&](auto at, int64_t i) { return g(at, i) * ((at(s + i) - mean) * r); };
  const float mean_g = sum_over<4>(n, g) / count, mean_gx = sum_over<4>(n, gx) / count;
  for_each(n, [&](auto at, auto put, int64_t i) {
    const auto normal = (at(s + i) - mean) * r, d = at(dy + i);
    put(dgain + i, at(dgain + i) + d * normal);
    put(dbias + i, at(dbias + i) + d);
    put(dx + i, r * ((d * at(gain + i) - mean_g) - normal * mean_gx));
  });
}

// ---- activations

struct ValueAndSlope {
  Vector value, slope;
};

static inline ValueAndSlope gelu_slope(Vector x) {
  const Vector bell = normal_bell(x), tail = normal_tail(x, bell);
  const Vector cdf = select(x < all(0.0f), tail, 1.0f - tail);
  return {gelu_of_tail(x, tail), cdf + x * (bell * 0.3989422804f)};
}
static inline ValueAndSlope gelu_tanh_slope(Vector x) {
  const Vector square = x * x;
  const Vector tanh = tanh_of(0.7978845608f * (x + 0.044715f * (square * x)));
  const Vector inner_slope = 0.7978845608f * (1.0f + 0.134145f * square);
  return {0.5f * x * (1.0f + tanh), 0.5f * (1.0f + tanh) * (1.0f + x * (1.0f - tanh) * inner_slope)};
}
static inline ValueAndSlope silu_slope(Vector x) {
  const Vector e = exp_of(-x), sigmoid = 1.0f / (1.0f + e);
  return {silu(x), sigmoid * (1.0f + x * (e * sigmoid))};  // e·sigmoid is 1 - sigmoid without cancellation
}
static inline ValueAndSlope tanh_slope(Vector x) {
  const Vector value = tanh_of(x);
  return {value, (1.0f - value) * (1.0f + value)};
}

template <class Function>
static inline void activate_backward(int64_t n, const float* x, const float* dy, float* y, float* dx,
                                     Function slope) {
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const ValueAndSlope at = slope(load(x + i));
    const Vector gradient = load(dy + i) * at.slope;
    store(y + i, at.value);
    store(dx + i, gradient);
  }
  if (i == n) return;
  Vector rest = {};
  for (int64_t lane = 0; i + lane < n; ++lane) rest[lane] = x[i + lane];
  const ValueAndSlope at = slope(rest);
  for (int64_t lane = 0; i + lane < n; ++lane) {
    const float gradient = dy[i + lane] * at.slope[lane];
    y[i + lane] = at.value[lane];
    dx[i + lane] = gradient;
  }
}

static void activation_backward(int64_t n, Activation activation, const float* x, const float* dy, float* y,
                                float* dx) {
  const auto with = [=](auto slope) { activate_backward(n, x, dy, y, dx, slope); };
  switch (activation) {
    case Activation::none:
      return with([](Vector at) { return ValueAndSlope{at, all(1.0f)}; });
    case Activation::gelu:
      return with([](Vector at) { return gelu_slope(at); });
    case Activation::gelu_tanh:
      return with([](Vector at) { return gelu_tanh_slope(at); });
    case Activation::relu:
      return with([](Vector at) { return ValueAndSlope{relu(at), only(at > all(0.0f), all(1.0f))}; });
    case Activation::silu:
      return with([](Vector at) { return silu_slope(at); });
    case Activation::tanh:
      return with([](Vector at) { return tanh_slope(at); });
  }
}
