// Attention. Included by inference.h and avx512_bf16.cpp, inside their namespace.
//
// Forward keeps only q, k, v and its output. Backward recomputes the probabilities, kAttentionRows queries at
// a time, as FlashAttention does (Dao et al. 2022, "Fast and memory-efficient exact attention with
// IO-awareness", appendix B.2), with the operations of forward and therefore the same bits.

#include "nn/kernels/dropout.h"

// The largest of scores [length, rounded up].
static inline float most_of(const float* scores, int64_t length) {
  const int64_t whole = length / kLanes * kLanes;
  Vector best = all(scores[0]);
  for (int64_t i = 0; i < whole; i += kLanes) best = max_of(best, load(scores + i));
  for (int64_t i = whole; i < length; i += kLanes)
    best = select(lanes_below(length - i), max_of(best, load(scores + i)), best);
  return max_lanes(best);
}

// scores [length, rounded up] -> e^((s - max)·scale), zero beyond length; returns 1 / their sum.
template <class Numbers>
static inline float exponentials(float* scores, int64_t length, int64_t padded, float scale) {
  const int64_t whole = length / kLanes * kLanes;
  const float most = most_of(scores, length);
  Vector sums = {};
  const auto exponential = [&](int64_t i) { return Numbers::exponential((load(scores + i) - most) * scale); };
  const auto put = [&](int64_t i, Vector e) {
    store(scores + i, e);
    sums += e;
  };
  for (int64_t i = 0; i < whole; i += kLanes) put(i, exponential(i));
  for (int64_t i = whole; i < padded; i += kLanes) {
    put(i, select(lanes_below(length - i), exponential(i), Vector{}));
  }
  return 1.0f / sum_lanes(sums);
}

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

// The same in pairs of bf16: to [rows, cols' / 2].
static inline void gather_pairs(const float* from, int64_t stride, int64_t rows, int64_t cols, float* to) {
  const int64_t padded = round_up(cols, 16);
  for (int64_t row = 0; row < rows; ++row) {
    uint16_t* const halves = reinterpret_cast<uint16_t*>(to) + row * padded;
    to_bf16(cols, from + row * stride, halves);
    for (int64_t i = cols; i < padded; ++i) halves[i] = 0;
  }
}

// Pairs of the numbers of two rows, of which part(row, i) gives kLanes from column i on.
template <class Part>
static inline void pair_parts(int64_t rows, int64_t cols, float* to, int64_t stride, Part part) {
  typedef uint32_t Bits __attribute__((vector_size(4 * kLanes), aligned(4), may_alias));
  const auto bits = [&](int64_t row, int64_t i) { return __builtin_convertvector(part(row, i), Bits); };
  for (int64_t row = 0; row < rows; row += 2) {
    for (int64_t i = 0; i < round_up(cols, 16); i += kLanes) {
      *reinterpret_cast<Bits*>(to + row / 2 * stride + i) = bits(row, i) | bits(row + 1, i) << 16;
    }
  }
}

static inline void pair_rows_bf16(int64_t rows, int64_t cols, const float* from, int64_t from_stride,
                                  float* to, int64_t stride) {
  pair_parts(rows, cols, to, stride, [&](int64_t row, int64_t i) {
    const float* const at = from + row * from_stride + i;
    if (row < rows && i + kLanes <= cols) return to_bf16(load(at));
    Vector some = {};
    for (int64_t lane = 0; row < rows && i + lane < cols; ++lane) some[lane] = at[lane];
    return to_bf16(some);
  });
}

// The same of rows [rows, cols / 2] in pairs; cols is a multiple of 16.
static inline void pair_rows(int64_t rows, int64_t cols, const float* from, int64_t from_stride, float* to,
                             int64_t stride) {
  pair_parts(rows, cols, to, stride, [&](int64_t row, int64_t i) {
    return row < rows ? *reinterpret_cast<const Halves*>(from + row * from_stride + i / 2) : Halves{};
  });
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
template <class Numbers = Floats>
static inline void score_products(int64_t rows, int64_t length, int64_t size, const float* a,
                                  int64_t a_stride, const float* panels, float* scores) {
  const int64_t padded = round_up(length, 16), stride = score_stride(length);
  for (int64_t first = 0; first < padded; first += kAttentionColumns) {
    const int64_t width = padded - first < kAttentionColumns ? padded - first : kAttentionColumns;
    product_into<Into::replace, Left::rows, Numbers>(rows, width, size, a, a_stride, panels + first * size,
                                                     kAttentionColumns, scores + first, stride);
  }
}

// out [rows, size'] = scores [rows, length] · values [length, size'], split by length into parts that fit in
// the cache.
template <class Numbers = Floats>
static inline void value_products(int64_t rows, int64_t length, int64_t size, int64_t depth,
                                  const float* scores, int64_t stride, const float* values, float* out) {
  for (int64_t from = 0; from < length; from += depth) {
    const int64_t part = length - from < depth ? length - from : depth;
    const auto product = from == 0 ? product_into<Into::replace, Left::rows, Numbers>
                                   : product_into<Into::add, Left::rows, Numbers>;
    product(rows, size, part, scores + from, stride, values + from * size, size, out, size);
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
template <class Numbers = Floats>
static inline float row_exponentials(const AttentionHead& head, int64_t row, KeyRange block, float* scores) {
  const KeyRange seen = seen_by(head, row);
  const int64_t skipped = seen.begin - block.begin, padded = round_up(block.end - block.begin, 16);
  if (head.bias != nullptr)
    add(seen.end - seen.begin, head.bias + (seen.begin - position_of(head, row)), scores + skipped);
  for (int64_t i = 0; i < skipped; ++i) scores[i] = 0;
  const float factor =
      exponentials<Numbers>(scores + skipped, seen.end - seen.begin, padded - skipped, head.scale);
  if (head.bias != nullptr) drop_tiny(padded - skipped, scores + skipped);
  return factor;
}

// Prefetches one row of a later head's inputs into the L2 cache.
__attribute__((always_inline)) static inline void prefetch_next(const AttentionHead& next, int64_t row) {
  constexpr auto prefetch = prefetch_rows<Access::read_later>;
  const int64_t width = next.in_pairs ? next.size / 2 : next.size;
  if (row < next.length) {
    prefetch(next.k + row * next.kv_stride, 0, 1, width);
    prefetch(next.v + row * next.kv_stride, 0, 1, width);
  }
  if (row < next.rows) prefetch(next.q + row * next.q_stride, 0, 1, width);
}

// With Pairs, head.relative has no positions. kFromPairs: head.in_pairs.
template <class Numbers, bool kFromPairs = false>
static void attend(const AttentionHead& head, const DroppedProbabilities& dropped, float* scratch) {
  constexpr bool kInPairs = Numbers::kInTerm == 2;
  const int64_t width = kFromPairs ? head.size / 2 : head.size;  // floats of a row of q, k and v
  const int64_t length = head.length, size = round_up(head.size, 16), terms = kInPairs ? size / 2 : head.size,
                q_stride = size / Numbers::kInTerm;
  Scratch parts = {scratch};
  float* const kt = parts.take(round_up(length, kAttentionColumns) * terms);
  float* const v = parts.take(round_up(length, 2) / Numbers::kInTerm * size);
  float* const q = parts.take(kAttentionRows * q_stride);
  float* const scores = parts.take(kAttentionRows * score_stride(length));
  float* const out = parts.take(kAttentionRows * size);
  const PositionScores positions(head, parts);
  prefetch_rows<Access::read>(head.k, head.kv_stride, length, width);
  prefetch_rows<Access::read>(head.v, head.kv_stride, length, width);
  if constexpr (kFromPairs) {
    transposed_panels(head.k, head.kv_stride, length, terms, kt);
    pair_rows(length, head.size, head.v, head.kv_stride, v, size);
  } else if constexpr (kInPairs) {
    float* const k = parts.take(length * terms);
    gather_pairs(head.k, head.kv_stride, length, head.size, k);
    transposed_panels(k, terms, length, terms, kt);
    pair_rows_bf16(length, head.size, head.v, head.kv_stride, v, size);
  } else {
    transposed_panels(head.k, head.kv_stride, length, head.size, kt);
    gather_rows(head.v, head.kv_stride, length, head.size, v);
  }
  for (int64_t from = 0; from < head.rows; from += kAttentionRows) {
    const int64_t rows = head.rows - from < kAttentionRows ? head.rows - from : kAttentionRows;
    const KeyRange block = seen_by_block(head, from, rows);
    const int64_t keys = block.end - block.begin, stride = score_stride(keys);
    const float* const queries = head.q + from * head.q_stride;
    if constexpr (kFromPairs) {
      score_products<Numbers>(rows, keys, terms, queries, head.q_stride, kt + block.begin * terms, scores);
    } else {
      (kInPairs ? gather_pairs : gather_rows)(queries, head.q_stride, rows, head.size, q);
      score_products<Numbers>(rows, keys, terms, q, q_stride, kt + block.begin * terms, scores);
    }
    positions.add(from, rows, q, scores);
    float factors[kAttentionRows];
    for (int64_t row = 0; row < rows; ++row) {
      float* const e = scores + row * stride;
      if (from + row + kAttentionRows < head.rows) {
        prefetch_rows<Access::read>(head.q + (from + row + kAttentionRows) * head.q_stride, head.q_stride, 1,
                                    width);
      }
      prefetch_rows<Access::write>(head.out + (from + row) * head.out_stride, head.out_stride, 1, head.size);
      if (head.next != nullptr) prefetch_next(*head.next, from + row);
      factors[row] = row_exponentials<Numbers>(head, from + row, block, e) * dropped.rate.scale;
      if (dropped.rate.threshold != 0) {
        for_kept(block.begin, round_up(keys, 16), dropped.key, static_cast<uint32_t>(from + row),
                 dropped.rate, [&](int64_t i, Integers kept) { store(e + i, only(kept, load(e + i))); });
      }
      if constexpr (kInPairs) to_bf16(round_up(keys, 16), e, reinterpret_cast<uint16_t*>(e));
    }
    value_products<Numbers>(rows, (keys + Numbers::kInTerm - 1) / Numbers::kInTerm, size,
                            depth_of(head) / Numbers::kInTerm, scores, stride,
                            v + block.begin / Numbers::kInTerm * size, out);
    for (int64_t row = 0; row < rows; ++row) {
      float* const to = head.out + (from + row) * head.out_stride;
      for (int64_t i = 0; i < head.size; ++i) to[i] = out[row * size + i] * factors[row];
    }
  }
}
