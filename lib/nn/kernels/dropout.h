// Dropout. Included only by attention.h, inside its namespace.

typedef uint32_t Unsigned __attribute__((vector_size(4 * BERT_LANES), aligned(4), may_alias));

template <int kBits>
static inline void threefry_round(Unsigned& a, Unsigned& b) {
  a += b;
  b = ((b << kBits) | (b >> (32 - kBits))) ^ a;
}

// Threefry-2x32-13 of the counters (a, b), in place.
static inline void threefry(DropoutKey key, Unsigned& a, Unsigned& b) {
  const uint32_t third = 0x1bd11bda ^ key.first ^ key.second;
  const auto even_rounds = [&] {
    threefry_round<13>(a, b);
    threefry_round<15>(a, b);
    threefry_round<26>(a, b);
    threefry_round<6>(a, b);
  };
  a += key.first, b += key.second;
  even_rounds();
  a += key.second, b += third + 1;
  threefry_round<17>(a, b);
  threefry_round<29>(a, b);
  threefry_round<16>(a, b);
  threefry_round<24>(a, b);
  a += third, b += key.first + 2;
  even_rounds();
  a += key.first, b += key.second + 3;
  threefry_round<17>(a, b);
}

// Calls f(column, kept) for the vectors of a row's columns [first, first + columns), counted from `first`, a
// multiple of 64. In lanes of kept numbers all bits
// are set. One Threefry result covers four numbers, 16 columns apart, so one vector of counters covers four
// vectors.
template <class Function>
static inline void for_kept(int64_t first, int64_t columns, DropoutKey key, uint32_t row, DropoutRate rate,
                            Function f) {
  static constexpr uint32_t kCounters[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  const Integers threshold = Integers{} + static_cast<int32_t>(rate.threshold);
  for (int64_t block = 0; block * 64 < columns; ++block) {
    UNROLLED for (int64_t lane = 0; lane < 16; lane += kLanes) {
      Unsigned a = *reinterpret_cast<const Unsigned*>(kCounters + lane) +
                   static_cast<uint32_t>(first / 64 + block) * 16;
      Unsigned b = Unsigned{} + row;
      threefry(key, a, b);
      const Unsigned numbers[4] = {a & 0xffff, a >> 16, b & 0xffff, b >> 16};
      UNROLLED for (int64_t quarter = 0; quarter < 4; ++quarter) {
        const int64_t column = block * 64 + quarter * 16 + lane;
        if (column < columns) f(column, reinterpret_cast<Integers>(numbers[quarter]) >= threshold);
      }
    }
  }
}

static inline Vector only(Integers mask, Vector x) {
  return reinterpret_cast<Vector>(mask & reinterpret_cast<Integers>(x));
}

static inline void drop(int64_t n, DropoutKey key, uint32_t row, DropoutRate rate, const float* x,
                        const float* residual, float* y) {
  if (rate.threshold == 0) {
    for (int64_t i = 0; i < n; ++i) y[i] = residual == nullptr ? x[i] : x[i] + residual[i];
    return;
  }
  for_kept(0, n, key, row, rate, [&](int64_t column, Integers kept) {
    if (column + kLanes <= n) {
      const Vector value = only(kept, load(x + column) * rate.scale);
      store(y + column, residual == nullptr ? value : value + load(residual + column));
      return;
    }
    const Vector factors = only(kept, all(rate.scale));
    for (int64_t lane = 0; column + lane < n; ++lane) {
      const float value = x[column + lane] * factors[lane];
      y[column + lane] = residual == nullptr ? value : value + residual[column + lane];
    }
  });
}
