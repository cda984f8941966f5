// Attention. Included only by inference.h, inside its namespace.
//
// Forward keeps only q, k, v and its output. Backward recomputes the probabilities, kAttentionRows queries at
// a time, as FlashAttention does (Dao et al. 2022, "Fast and memory-efficient exact attention with
// IO-awareness", appendix B.2), with the operations of forward and therefore the same bits.

#include "nn/kernels/dropout.h"

// Distance in floats between the rows of scores: an odd number of cache lines, so that the numbers of a
// column are not all in one cache set.
static inline int64_t score_stride(int64_t length) { return round_up(length, 16) + 16; }

// to [rows, cols'] = from [rows, cols], where ' means rounded up to 16, zero-padded.
static inline void gather_rows(const float* from, int64_t stride, int64_t rows, int64_t cols, float* to) {
  const int64_t padded = round_up(cols, 16);
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t i = 0; i < cols; ++i) to[row * padded + i] = from[row * stride + i];
    for (int64_t i = cols; i < padded; ++i) to[row * padded + i] = 0;
  }
}

static inline void scatter_rows(const float* from, int64_t rows, int64_t cols, float* to, int64_t stride) {
  const int64_t padded = round_up(cols, 16);
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t i = 0; i < cols; ++i) to[row * stride + i] = from[row * padded + i];
  }
}

// Prefetches rows. The rows of a head are too far apart for the hardware prefetcher, and those of a batch
// exceed the L2 cache. Always inline: GCC considers a function that only prefetches to have no effect and
// removes its calls.
enum class Access { read, write, read_later };
template <Access kAccess>
__attribute__((always_inline)) static inline void prefetch_rows(const float* from, int64_t stride,
                                                                int64_t rows, int64_t cols) {
  constexpr int64_t kLine = 16;
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t i = 0; i < cols; i += kLine) {
      __builtin_prefetch(from + row * stride + i, kAccess == Access::write ? 1 : 0,
                         kAccess == Access::read_later ? 2 : 3);
    }
  }
}

// Transposed panels [cols, 64] of 64 rows each, zero-padded to a multiple of 16 rows. A panel fits in the L1
// cache.
static void transposed_panels(const float* from, int64_t stride, int64_t rows, int64_t cols, float* panels) {
  for (int64_t first = 0; first < rows; first += kAttentionColumns) {
    const int64_t count = rows - first < kAttentionColumns ? rows - first : kAttentionColumns;
    transpose(from + first * stride, stride, count, cols,
              {panels + first * cols, kAttentionColumns, round_up(count, 16), cols});
  }
}

// scores [rows, length'] = a [rows, size] · the panels
static inline void score_products(int64_t rows, int64_t length, int64_t size, const float* a,
                                  int64_t a_stride, const float* panels, float* scores) {
  const int64_t padded = round_up(length, 16), stride = score_stride(length);
  for (int64_t first = 0; first < padded; first += kAttentionColumns) {
    const int64_t width = padded - first < kAttentionColumns ? padded - first : kAttentionColumns;
    product_into<Into::replace>(rows, width, size, a, a_stride, panels + first * size, kAttentionColumns,
                                scores + first, stride);
  }
}

// out [rows, size'] = scores [rows, length] · values [length, size'], split by length into parts that fit in
// the cache.
static inline void value_products(int64_t rows, int64_t length, int64_t size, int64_t depth,
                                  const float* scores, const float* values, float* out) {
  for (int64_t from = 0; from < length; from += depth) {
    const int64_t part = length - from < depth ? length - from : depth;
    const auto product = from == 0 ? product_into<Into::replace> : product_into<Into::add>;
    product(rows, size, part, scores + from, score_stride(length), values + from * size, size, out, size);
  }
}

// Allocates consecutive parts of the scratch memory.
struct Scratch {
  float* next;
  float* take(int64_t floats) {
    float* const part = next;
    next += round_up(floats, 16);
    return part;
  }
};

#include "nn/kernels/position_scores.h"

static inline KeyRange seen_by(const AttentionHead& head, int64_t row) {
  return head.seen == nullptr ? KeyRange{0, head.length} : head.seen[row];
}

// The keys whose scores a block of rows computes.
static inline KeyRange seen_by_block(const AttentionHead& head, int64_t from, int64_t rows) {
  return {seen_by(head, from).begin / kAttentionColumns * kAttentionColumns,
          seen_by(head, from + rows - 1).end};
}

static inline int64_t depth_of(const AttentionHead& head) {
  return head.seen == nullptr ? kAttentionDepth : kAttentionColumns;
}

// Exponentials that add nothing to a sum of at least 1. Their products would be subnormal numbers, which take
// a hundred times as long; with a bias that falls with the distance, a long text has many.
static inline void drop_tiny(int64_t n, float* e) {
  constexpr float kTiny = 1e-30f;
  for (int64_t i = 0; i < n; ++i) e[i] = e[i] < kTiny ? 0 : e[i];
}

// Turns a row of scores of the keys [block.begin, block.end) into exponentials, zero where the row does not
// attend. Returns 1 / their sum.
static inline float row_exponentials(const AttentionHead& head, int64_t row, KeyRange block, float* scores) {
  const KeyRange seen = seen_by(head, row);
  const int64_t skipped = seen.begin - block.begin, padded = round_up(block.end - block.begin, 16);
  if (head.bias != nullptr)
    add(seen.end - seen.begin, head.bias + (seen.begin - position_of(head, row)), scores + skipped);
  for (int64_t i = 0; i < skipped; ++i) scores[i] = 0;
  const float factor = exponentials(scores + skipped, seen.end - seen.begin, padded - skipped, head.scale);
  if (head.bias != nullptr) drop_tiny(padded - skipped, scores + skipped);
  return factor;
}

static void attend(const AttentionHead& head, const DroppedProbabilities& dropped, float* scratch) {
  const int64_t length = head.length, size = round_up(head.size, 16);
  Scratch parts = {scratch};
  float* const kt = parts.take(round_up(length, kAttentionColumns) * head.size);
  float* const v = parts.take(length * size);
  float* const q = parts.take(kAttentionRows * size);
  float* const scores = parts.take(kAttentionRows * score_stride(length));
  float* const out = parts.take(kAttentionRows * size);
  const PositionScores positions(head, parts);
  prefetch_rows<Access::read>(head.k, head.kv_stride, length, head.size);
  prefetch_rows<Access::read>(head.v, head.kv_stride, length, head.size);
  transposed_panels(head.k, head.kv_stride, length, head.size, kt);
  gather_rows(head.v, head.kv_stride, length, head.size, v);
  for (int64_t from = 0; from < head.rows; from += kAttentionRows) {
    const int64_t rows = head.rows - from < kAttentionRows ? head.rows - from : kAttentionRows;
    const KeyRange block = seen_by_block(head, from, rows);
    const int64_t keys = block.end - block.begin, stride = score_stride(keys);
    gather_rows(head.q + from * head.q_stride, head.q_stride, rows, head.size, q);
    score_products(rows, keys, head.size, q, size, kt + block.begin * head.size, scores);
    positions.add(from, rows, q, scores);
    float factors[kAttentionRows];
    for (int64_t row = 0; row < rows; ++row) {
      float* const e = scores + row * stride;
      if (from + row + kAttentionRows < head.rows) {
        prefetch_rows<Access::read>(head.q + (from + row + kAttentionRows) * head.q_stride, head.q_stride, 1,
                                    head.size);
      }
      prefetch_rows<Access::write>(head.out + (from + row) * head.out_stride, head.out_stride, 1, head.size);
      factors[row] = row_exponentials(head, from + row, block, e) * dropped.rate.scale;
      if (dropped.rate.threshold == 0) continue;
      for_kept(block.begin, round_up(keys, 16), dropped.key, static_cast<uint32_t>(from + row), dropped.rate,
               [&](int64_t i, Integers kept) { store(e + i, only(kept, load(e + i))); });
    }
    value_products(rows, keys, size, depth_of(head), scores, v + block.begin * size, out);
    for (int64_t row = 0; row < rows; ++row) {
      float* const to = head.out + (from + row) * head.out_stride;
      for (int64_t i = 0; i < head.size; ++i) to[i] = out[row * size + i] * factors[row];
    }
  }
}

// Prefetches one row of a later head's inputs into the L2 cache.
__attribute__((always_inline)) static inline void prefetch_next(const AttentionHeadGradient& next,
                                                                int64_t row) {
  const AttentionHead& head = next.head;
  constexpr auto prefetch = prefetch_rows<Access::read_later>;
  if (row < head.length) {
    prefetch(head.k + row * head.kv_stride, 0, 1, head.size);
    prefetch(head.v + row * head.kv_stride, 0, 1, head.size);
  }
  if (row < head.rows) {
    prefetch(head.q + row * head.q_stride, 0, 1, head.size);
    prefetch(next.dout + row * next.dout_stride, 0, 1, head.size);
  }
}

// From one row of scores e^(…) and of dp = dout·vᵀ, both from key `first` on, computes the kept probabilities
// times scale, and ds·scale:
//
//   p = e / Σe   pd = p∘keep·c   D = Σ pd∘dp   ds = p∘(dp∘keep·c - D)
//
// D equals Σ dout∘out, but with this sum the errors of dp cancel in Σ ds, which is 0. Until D is known, the
// sign of e stores whether it is kept.
template <bool kDrop>
static inline void score_gradient(int64_t first, int64_t padded, const DroppedProbabilities& dropped,
                                  uint32_t row, float inverse, float scale, float* e, float* dp) {
  const Integers sign = Integers{} + INT32_MIN;
  Vector sums = {};
  if constexpr (kDrop) {
    for_kept(first, padded, dropped.key, row, dropped.rate, [&](int64_t i, Integers kept) {
      const Vector at = load(e + i);
      sums += only(kept, at) * load(dp + i);
      store(e + i, reinterpret_cast<Vector>(reinterpret_cast<Integers>(at) | (~kept & sign)));
    });
  } else {
    for (int64_t i = 0; i < padded; i += kLanes) sums += load(e + i) * load(dp + i);
  }
  const float kept_factor = inverse * dropped.rate.scale, total = sum_lanes(sums) * kept_factor;
  for (int64_t i = 0; i < padded; i += kLanes) {
    const Vector at = load(e + i), d = load(dp + i) * dropped.rate.scale;
    if constexpr (kDrop) {
      const Integers left_out = reinterpret_cast<Integers>(at) < 0;
      store(e + i, only(~left_out, at * kept_factor));
      store(dp + i, magnitude(at) * ((only(~left_out, d) - total) * (inverse * scale)));
    } else {
      store(e + i, at * kept_factor);
      store(dp + i, at * ((d - total) * (inverse * scale)));
    }
  }
}

// to [keys, size] += scores [rows, keys of the block]ᵀ · x [rows, size]; rows of `to` from `set` on are set
// instead.
static inline void add_to_keys(int64_t set, KeyRange block, int64_t size, int64_t rows, const float* scores,
                               const float* x, float* to) {
  const int64_t stride = score_stride(block.end - block.begin);
  for (int64_t i = set * size; i < block.begin * size; ++i) to[i] = 0;
  const int64_t middle = set < block.begin ? block.begin : set;
  product_into<Into::add, Left::transposed>(middle - block.begin, size, rows, scores, stride, x, size,
                                            to + block.begin * size, size);
  product_into<Into::replace, Left::transposed>(block.end - middle, size, rows,
                                                scores + (middle - block.begin), stride, x, size,
                                                to + middle * size, size);
}

// forward:  s = (q·kᵀ + bias + …)·scale   p = softmax(s)   pd = p∘keep·c   out = pd·v
// so        dv = pdᵀ·dout    dp = dout·vᵀ     ds = p∘(dp∘keep·c - D)   dq = ds·k·scale   dk = dsᵀ·q·scale
//           dbias = ds·scale, summed over the pairs of a distance; … see PositionGradients
static void attend_backward(const AttentionHeadGradient& gradient, float* scratch) {
  const AttentionHead& head = gradient.head;
  const int64_t length = head.length, size = round_up(head.size, 16);
  Scratch parts = {scratch};
  float* const kt = parts.take(round_up(length, kAttentionColumns) * head.size);
  float* const vt = parts.take(round_up(length, kAttentionColumns) * head.size);
  float* const k = parts.take(length * size);
  float* const dk = parts.take(length * size);
  float* const dv = parts.take(length * size);
  float* const q = parts.take(kAttentionRows * size);
  float* const dout = parts.take(kAttentionRows * size);
  float* const dq = parts.take(kAttentionRows * size);
  float* const scores = parts.take(kAttentionRows * score_stride(length));
  float* const dp = parts.take(kAttentionRows * score_stride(length));
  const PositionScores positions(head, parts);
  const PositionGradients dpositions(gradient, parts);
  prefetch_rows<Access::read>(head.k, head.kv_stride, length, head.size);
  prefetch_rows<Access::read>(head.v, head.kv_stride, length, head.size);
  const int64_t first_rows = head.rows < kAttentionRows ? head.rows : kAttentionRows;
  prefetch_rows<Access::read>(head.q, head.q_stride, first_rows, head.size);
  prefetch_rows<Access::read>(gradient.dout, gradient.dout_stride, first_rows, head.size);
  transposed_panels(head.k, head.kv_stride, length, head.size, kt);
  transposed_panels(head.v, head.kv_stride, length, head.size, vt);
  gather_rows(head.k, head.kv_stride, length, head.size, k);
  int64_t set = 0;  // keys that the queries so far attend to; dk and dv of those after them are not set yet
  for (int64_t from = 0; from < head.rows; from += kAttentionRows) {
    const int64_t rows = head.rows - from < kAttentionRows ? head.rows - from : kAttentionRows;
    const KeyRange block = seen_by_block(head, from, rows);
    const int64_t keys = block.end - block.begin, stride = score_stride(keys);
    gather_rows(head.q + from * head.q_stride, head.q_stride, rows, head.size, q);
    gather_rows(gradient.dout + from * gradient.dout_stride, gradient.dout_stride, rows, head.size, dout);
    score_products(rows, keys, head.size, q, size, kt + block.begin * head.size, scores);
    positions.add(from, rows, q, scores);
    score_products(rows, keys, head.size, dout, size, vt + block.begin * head.size, dp);
    for (int64_t row = 0; row < rows; ++row) {
      float* const e = scores + row * stride;
      const float inverse = row_exponentials(head, from + row, block, e);
      const int64_t now = from + row, later = now + kAttentionRows;
      if (later < head.rows) {
        prefetch_rows<Access::read>(head.q + later * head.q_stride, 0, 1, head.size);
        prefetch_rows<Access::read>(gradient.dout + later * gradient.dout_stride, 0, 1, head.size);
      }
      if (gradient.next != nullptr) prefetch_next(*gradient.next, now);
      prefetch_rows<Access::write>(gradient.dq + now * gradient.dq_stride, 0, 1, head.size);
      prefetch_rows<Access::write>(gradient.dk + now * gradient.dkv_stride, 0, 1, head.size);
      prefetch_rows<Access::write>(gradient.dv + now * gradient.dkv_stride, 0, 1, head.size);
      const auto finish = gradient.dropped.rate.threshold == 0 ? score_gradient<false> : score_gradient<true>;
      finish(block.begin, round_up(keys, 16), gradient.dropped, static_cast<uint32_t>(from + row), inverse,
             head.scale, e, dp + row * stride);
      const KeyRange seen = seen_by(head, now);
      if (gradient.dbias != nullptr)
        add(seen.end - seen.begin, dp + row * stride + (seen.begin - block.begin),
            gradient.dbias + (seen.begin - position_of(head, now)));
    }
    add_to_keys(set, block, size, rows, scores, dout, dv);
    add_to_keys(set, block, size, rows, dp, q, dk);
    set = block.end;
    value_products(rows, keys, size, depth_of(head), dp, k + block.begin * size, dq);
    dpositions.add(from, rows, q, dp, dq);
    scatter_rows(dq, rows, head.size, gradient.dq + from * gradient.dq_stride, gradient.dq_stride);
  }
  for (int64_t i = set * size; i < length * size; ++i) dk[i] = dv[i] = 0;
  dpositions.finish(k, dk);
  scatter_rows(dk, length, head.size, gradient.dk, gradient.dkv_stride);
  scatter_rows(dv, length, head.size, gradient.dv, gradient.dkv_stride);
}
