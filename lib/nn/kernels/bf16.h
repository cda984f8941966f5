// Rounding to bf16. Included by inference.h and avx512_bf16.cpp, inside their namespace.

// Rounds the upper half according to the lower half. A NaN remains a NaN.
template <class Bits>
static inline Bits upper_half(Bits bits) {
  const Bits rounded = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16, nan = bits >> 16 | 0x40u;
  return (bits & 0x7fffffffu) > 0x7f800000u ? nan : rounded;
}

typedef uint16_t Halves __attribute__((vector_size(2 * kLanes), aligned(2), may_alias));
static inline Halves to_bf16(Vector v) {
#ifdef __AVX512BF16__  // numbers below the smallest normal one become 0
  return reinterpret_cast<Halves>(_mm512_cvtneps_pbh(reinterpret_cast<__m512>(v)));
#else
  typedef uint32_t Bits __attribute__((vector_size(4 * kLanes)));
  return __builtin_convertvector(upper_half(reinterpret_cast<Bits>(v)), Halves);
#endif
}
static inline void store(uint16_t* to, Vector v) { *reinterpret_cast<Halves*>(to) = to_bf16(v); }

static void to_bf16(int64_t n, const float* from, uint16_t* to) {
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) store(to + i, load(from + i));
  typedef uint32_t One __attribute__((may_alias));
  for (; i < n; ++i)
    to[i] = static_cast<uint16_t>(upper_half<uint32_t>(*reinterpret_cast<const One*>(from + i)));
}
