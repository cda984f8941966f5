// Included by inference.h.

// Four chains of additions, then the rest one by one.
static float dot(int64_t n, const float* x, const float* y) {
  Vector sums[4] = {};
  int64_t i = 0;
  for (; i + 4 * kLanes <= n; i += 4 * kLanes) {
    for (int64_t k = 0; k < 4; ++k) sums[k] += load(x + i + k * kLanes) * load(y + i + k * kLanes);
  }
  for (; i + kLanes <= n; i += kLanes) sums[0] += load(x + i) * load(y + i);
  float sum = sum_lanes((sums[0] + sums[1]) + (sums[2] + sums[3]));
  for (; i < n; ++i) sum += x[i] * y[i];
  return sum;
}

static int32_t dot_bytes(int64_t n, const uint8_t* x, const int8_t* y) {
  int32_t sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += x[i] * y[i];
  return sum;
}
