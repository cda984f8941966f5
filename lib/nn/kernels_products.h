// Products of f32. Included only by kernels_body.h, once for each instruction set, inside its namespace; so
// everything is static.

// How the left factor a [m,k] of a product lies: as it is, rows a_stride apart, or transposed.
enum class Left { rows, transposed };

// Unrolled before arrays are given registers; else they pass through memory at the start and the end of a
// block.
#define UNROLLED _Pragma("GCC unroll 8")

// Rows of b that are asked for before they are needed. A panel is a stream from memory, and the processor's
// own prefetching stops at each 4 KiB, which are 16 rows of it: a third of the time for few rows of x.
static constexpr int64_t kPrefetchAhead = 16;

// A block of kRows × kVectors·kLanes numbers stays in registers over the whole of k: each is one chain of
// fused multiply-adds in the order of k, so neither the block's place nor its shape changes a bit.
template <Into kInto, Left kLeft, int kRows, int kVectors>
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
      const Vector factor = all(kLeft == Left::rows ? a[r * a_stride + i] : a[i * a_stride + r]);
      UNROLLED for (int v = 0; v < kVectors; ++v) sums[r][v] += factor * columns[v];
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

template <Into kInto, Left kLeft, int kVectors>
static inline void product_columns(int64_t m, int64_t k, const float* a, int64_t a_stride, const float* b,
                                   int64_t b_stride, float* c, int64_t c_stride) {
  const int64_t a_row = kLeft == Left::rows ? a_stride : 1;
  int64_t row = 0;
  for (; row + kBlockRows <= m; row += kBlockRows) {
    product_block<kInto, kLeft, kBlockRows, kVectors>(k, a + row * a_row, a_stride, b, b_stride,
                                                      c + row * c_stride, c_stride);
  }
  for (; row + 2 <= m; row += 2) {
    product_block<kInto, kLeft, 2, kVectors>(k, a + row * a_row, a_stride, b, b_stride, c + row * c_stride,
                                             c_stride);
  }
  if (row < m) {
    product_block<kInto, kLeft, 1, kVectors>(k, a + row * a_row, a_stride, b, b_stride, c + row * c_stride,
                                             c_stride);
  }
}

template <Into kInto, Left kLeft = Left::rows>
static void product_into(int64_t m, int64_t n, int64_t k, const float* a, int64_t a_stride, const float* b,
                         int64_t b_stride, float* c, int64_t c_stride) {
  constexpr int64_t kWide = kBlockVectors * kLanes;
  int64_t column = 0;
  for (; column + kWide <= n; column += kWide) {
    product_columns<kInto, kLeft, kBlockVectors>(m, k, a, a_stride, b + column, b_stride, c + column,
                                                 c_stride);
  }
  for (; column + 2 * kLanes <= n; column += 2 * kLanes) {
    product_columns<kInto, kLeft, 2>(m, k, a, a_stride, b + column, b_stride, c + column, c_stride);
  }
  for (; column < n; column += kLanes) {
    product_columns<kInto, kLeft, 1>(m, k, a, a_stride, b + column, b_stride, c + column, c_stride);
  }
}

static inline int64_t round_up(int64_t n, int64_t to) { return (n + to - 1) / to * to; }

static void panel_products(int64_t rows, int64_t depth, const float* x, int64_t x_stride, int64_t panels,
                           const float* const* panel, float* tiles) {
  constexpr int64_t kWidth = kPanelWidth;
  const int64_t parts = (depth + kLongestPart - 1) / kLongestPart,
                part = round_up((depth + parts - 1) / parts, 16);
  for (int64_t from = 0; from < depth; from += part) {
    const int64_t size = depth - from < part ? depth - from : part;
    for (int64_t p = 0; p < panels; ++p) {
      const auto product = from == 0 ? product_into<Into::replace> : product_into<Into::add>;
      product(rows, kWidth, size, x + from, x_stride, panel[p] + from * kWidth, kWidth,
              tiles + p * rows * kWidth, kWidth);
    }
  }
}

// Brings rows of `width` numbers together, which is rounded up to whole vectors: what lies far apart would
// fight for the same few lines of the cache.
static inline void gather(int64_t rows, int64_t width, const float* from, int64_t from_stride, float* to,
                          int64_t to_stride) {
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < width; j += kLanes)
      store(to + i * to_stride + j, load(from + i * from_stride + j));
  }
}

static void column_sums(int64_t depth, const float* a, int64_t n, float* sums) {
  for (int64_t first = 0; first < n; first += kLanes) {
    Vector sum = {};
    for (int64_t i = 0; i < depth; ++i) sum += load(a + i * kGradientRows + first);
    for (int64_t j = first; j < n && j < first + kLanes; ++j) sums[j] += sum[j - first];
  }
}

// c [rows, cols] = tile [rows, 64], or += it
static inline void put_part(int64_t rows, int64_t cols, const float* tile, Into into, float* c,
                            int64_t c_stride) {
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t i = 0; i < cols; ++i) {
      const float part = tile[row * kPanelWidth + i];
      c[row * c_stride + i] = into == Into::add ? c[row * c_stride + i] + part : part;
    }
  }
}

static void gradient_products(const GradientProduct& g, float* scratch) {
  constexpr int64_t kWidth = kPanelWidth, kRows = kGradientRows, kDepth = kLongestPart;
  const int64_t panels = (g.cols + kWidth - 1) / kWidth;
  float* const left = scratch;
  float* const tile = left + kDepth * kRows;
  float* const right = tile + kRows * kWidth;
  for (int64_t from = 0; from < g.depth; from += kDepth) {
    const int64_t depth = g.depth - from < kDepth ? g.depth - from : kDepth;
    const Into into = from == 0 ? g.into : Into::add;
    const auto product = into == Into::replace ? product_into<Into::replace, Left::transposed>
                                               : product_into<Into::add, Left::transposed>;
    for (int64_t i = 0; i < depth; ++i) {  // whole rows, since that is how memory likes to be read
      gather(panels, kWidth, g.x + (from + i) * g.x_stride, kWidth, right + i * kWidth, kDepth * kWidth);
    }
    for (int64_t row = 0; row < g.rows; row += kRows) {
      const int64_t rows = g.rows - row < kRows ? g.rows - row : kRows;
      gather(depth, rows, g.dy + from * g.dy_stride + row, g.dy_stride, left, kRows);
      if (g.db != nullptr) column_sums(depth, left, rows, g.db + row);
      for (int64_t p = 0; p < panels; ++p) {
        const int64_t cols = g.cols - p * kWidth < kWidth ? g.cols - p * kWidth : kWidth;
        const float* panel = right + p * kDepth * kWidth;
        float* const to = g.dw + row * g.dw_stride + p * kWidth;
        if (cols % kLanes == 0) {
          product(rows, cols, depth, left, kRows, panel, kWidth, to, g.dw_stride);
          continue;
        }
        product_into<Into::replace, Left::transposed>(rows, kWidth, depth, left, kRows, panel, kWidth, tile,
                                                      kWidth);
        put_part(rows, cols, tile, into, to, g.dw_stride);
      }
    }
  }
}

static void strided_products(int64_t rows, int64_t depth, const float* x, int64_t x_stride, int64_t cols,
                             const float* w, int64_t w_stride, float* y, int64_t y_stride, float* scratch) {
  for (int64_t from = 0; from < depth; from += kLongestPart) {
    const int64_t part = depth - from < kLongestPart ? depth - from : kLongestPart;
    const auto product = from == 0 ? product_into<Into::replace> : product_into<Into::add>;
    for (int64_t first = 0; first < cols; first += kPanelWidth) {
      const int64_t width = cols - first < kPanelWidth ? cols - first : kPanelWidth;
      for (int64_t i = 0; i < part; ++i) {
        for (int64_t j = 0; j < width; ++j) {
          scratch[i * kPanelWidth + j] = w[(from + i) * w_stride + first + j];
        }
      }
      product(rows, kPanelWidth, part, x + from, x_stride, scratch, kPanelWidth, y + first, y_stride);
    }
  }
}
