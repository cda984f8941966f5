// What follows products of weights. Included by inference.h and avx512_bf16.cpp, inside their namespace.

static constexpr int64_t kFinishRows = 12;  // rows of a part

// numbers + bias of kLanes columns.
struct FromFloats {
  const float* numbers;
  int64_t stride;
  Vector bias;

  FromFloats(const RawColumns& raw, const RawTile& tile, int64_t column)
      : numbers(raw.numbers + column), stride(tile.stride), bias(load(raw.bias + column)) {}
  Vector operator()(int64_t row) const { return load(numbers + row * stride) + bias; }
};
struct FromIntegers {
  const float* numbers;
  int64_t stride;
  Vector bias, scales;
  Integers sums;
  const QuantizedRow* rows;

  FromIntegers(const RawColumns& raw, const RawTile& tile, int64_t column)
      : numbers(raw.numbers + column),
        stride(tile.stride),
        bias(load(raw.bias + column)),
        scales(load(raw.integers.scales + column)),
        sums(*reinterpret_cast<const Integers*>(raw.integers.sums + column)),
        rows(tile.quantized) {}
  Vector operator()(int64_t row) const {
    const Integers whole = *reinterpret_cast<const Integers*>(numbers + row * stride) - sums * rows[row].zero;
    return __builtin_convertvector(whole, Vector) * (scales * rows[row].scale) + bias;
  }
};

// The same + residual.
template <class Source>
struct Added {
  Source source;
  const float* residual;
  int64_t stride;

  Added(const RawColumns& raw, const RawTile& tile, int64_t column)
      : source(raw, tile, column), residual(tile.residual + column), stride(tile.residual_stride) {}
  Vector operator()(int64_t row) const {
    __builtin_prefetch(residual + (row + kFinishRows) * stride);
    return source(row) + load(residual + row * stride);
  }
};

static inline Range range_of(int64_t n, const float* x) {
  Vector least = {}, most = {};
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const Vector v = load(x + i);
    least = min_of(v, least);
    most = max_of(v, most);
  }
  Range found = {min_lanes(least), max_lanes(most)};
  for (; i < n; ++i) {
    found.low = x[i] < found.low ? x[i] : found.low;
    found.high = x[i] > found.high ? x[i] : found.high;
  }
  return found;
}

// The columns of some rows one after the other, so that all constants stay in registers. The rows of y of the
// next part are prefetched: they are too far apart for the hardware prefetcher, and a store that waits for
// its cache line blocks those after it. A part is small, since its lines may be in the same few cache sets.
template <class Source, bool kGated, bool kRanged, class Number, class Function>
static inline void finish_rows(const RawTile& tile, Number* y, int64_t y_stride, Function act) {
  const int64_t rows = tile.rows, columns = tile.columns;
  for (int64_t first = 0; first < rows; first += kFinishRows) {
    const int64_t end = first + kFinishRows < rows ? first + kFinishRows : rows;
    const int64_t ahead = end < rows ? kFinishRows * y_stride : 0;
    for (int64_t i = 0; i < columns; i += kLanes) {
      const Source layer(tile.layer, tile, i), gate(kGated ? tile.gate : tile.layer, tile, i);
      for (int64_t row = first; row < end; ++row) {
        Number* const to = y + row * y_stride + i;
        __builtin_prefetch(to + ahead, 1);
        const Vector x = act(layer(row));
        store(to, kGated ? gate(row) * x : x);
      }
    }
    if constexpr (kRanged) {
      for (int64_t row = first; row < end; ++row)
        tile.ranges[row * tile.ranges_stride] = range_of(columns, y + row * y_stride);
    }
  }
}

// y has f32 or bf16.
template <class Source, bool kRanged, class Number>
static inline void finish_from(const RawTile& tile, Number* y, int64_t y_stride) {
  const auto with = [&](auto act) {
    return tile.gate.numbers == nullptr ? finish_rows<Source, false, kRanged>(tile, y, y_stride, act)
                                        : finish_rows<Source, true, kRanged>(tile, y, y_stride, act);
  };
  switch (tile.activation) {
    case Activation::none:
      return with([](Vector x) { return x; });
    case Activation::gelu:
      return with([](Vector x) { return kRanged || sizeof(Number) == 2 ? rough_gelu(x) : gelu(x); });
    case Activation::gelu_tanh:
      return with([](Vector x) { return gelu_tanh(x); });
    case Activation::relu:
      return with([](Vector x) { return relu(x); });
    case Activation::silu:
      return with([](Vector x) { return silu(x); });
    case Activation::tanh:
      return with([](Vector x) { return tanh_of(x); });
  }
}

template <class Source>
static inline void finish_added(const RawTile& tile, float* y, int64_t y_stride) {
  finish_rows<Added<Source>, false, false>(tile, y, y_stride, [](Vector x) { return x; });
}

static inline void finish_tile(const RawTile& tile, float* y, int64_t y_stride) {
  if (tile.residual != nullptr)
    return tile.quantized == nullptr ? finish_added<FromFloats>(tile, y, y_stride)
                                     : finish_added<FromIntegers>(tile, y, y_stride);
  if (tile.quantized == nullptr) return finish_from<FromFloats, false>(tile, y, y_stride);
  if (tile.ranges == nullptr) return finish_from<FromIntegers, false>(tile, y, y_stride);
  finish_from<FromIntegers, true>(tile, y, y_stride);
}
static void finish_tile_bf16(const RawTile& tile, uint16_t* y, int64_t y_stride) {
  if (tile.quantized == nullptr) return finish_from<FromFloats, false>(tile, y, y_stride);
  finish_from<FromIntegers, false>(tile, y, y_stride);
}
