// Backward of attention. Included only by inference.h, inside its namespace.

// The same with the gradient of its output.
__attribute__((always_inline)) static inline void prefetch_next(const AttentionHeadGradient& next,
                                                                int64_t row) {
  prefetch_next(next.head, row);
  if (row < next.head.rows)
    prefetch_rows<Access::read_later>(next.dout + row * next.dout_stride, 0, 1, next.head.size);
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
    value_products(rows, keys, size, depth_of(head), dp, stride, k + block.begin * size, dq);
    dpositions.add(from, rows, q, dp, dq);
    scatter_rows(dq, rows, head.size, gradient.dq + from * gradient.dq_stride, gradient.dq_stride);
  }
  for (int64_t i = set * size; i < length * size; ++i) dk[i] = dv[i] = 0;
  dpositions.finish(k, dk);
  scatter_rows(dk, length, head.size, gradient.dk, gradient.dkv_stride);
  scatter_rows(dv, length, head.size, gradient.dv, gradient.dkv_stride);
}
