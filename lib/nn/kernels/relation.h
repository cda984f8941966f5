// Relations of a student and its teacher. Included only by inference.h, inside its namespace. As in
// attention.h, kAttentionRows rows of scores are in memory at a time.

// t [length, rounded up] and s hold products. s becomes weight·the gradient of KL(p || q), p =
// softmax(t·its), q = softmax(s·scale), for the products; t is scratch space. Returns the divergence: with
// the shifted logits a and b of both, KL(p || q) = Σ p·(a - b) - ln Σe^a + ln Σe^b.
static inline double divergence_row(int64_t length, float its, float* t, float scale, float* s,
                                    float weight) {
  const float most_t = most_of(t, length), most_s = most_of(s, length);
  Vector sums_t = {}, sums_s = {}, products = {};
  for (int64_t i = 0; i < length; i += kLanes) {
    const Integers inside = lanes_below(length - i);
    const Vector a = (load(t + i) - most_t) * its, b = (load(s + i) - most_s) * scale;
    const Vector p = only(inside, exp_of(a)), q = only(inside, exp_of(b));
    sums_t += p;
    sums_s += q;
    products += p * (a - b);
    store(t + i, p);
    store(s + i, q);
  }
  const float sum_t = sum_lanes(sums_t), sum_s = sum_lanes(sums_s);
  const float factor_t = weight * scale / sum_t, factor_s = weight * scale / sum_s;
  for (int64_t i = 0; i < length; i += kLanes) store(s + i, load(s + i) * factor_s - load(t + i) * factor_t);
  const double all_t = sum_t, all_s = sum_s;
  return sum_lanes(products) / all_t - __builtin_log(all_t) + __builtin_log(all_s);
}

// The same for the mean squared difference of s·scale and t·its.
static inline double squares_row(int64_t length, float its, float* t, float scale, float* s, float weight) {
  const float factor = 2 * weight * scale / static_cast<float>(length);
  Vector sums = {};
  for (int64_t i = 0; i < length; i += kLanes) {
    const Vector difference = only(lanes_below(length - i), load(s + i) * scale - load(t + i) * its);
    sums += difference * difference;
    store(s + i, difference * factor);
  }
  return sum_lanes(sums) / static_cast<double>(length);
}

// scores [rows, length'] = rows [from, from + rows) of x · yᵀ + bias; `x` is scratch space, `yt` has the
// panels of y.
static inline void relation_scores(const RelationSide& side, int64_t length, int64_t from, int64_t rows,
                                   const float* yt, float* x, float* scores) {
  gather_rows(side.x + from * side.stride, side.stride, rows, side.size, x);
  score_products(rows, length, side.size, x, round_up(side.size, 16), yt, scores);
  for (int64_t row = 0; row < rows && side.bias != nullptr; ++row)
    add(length, side.bias - (from + row), scores + row * score_stride(length));
}

static inline void add_columns(const float* from, int64_t rows, int64_t cols, float* to, int64_t stride) {
  for (int64_t row = 0; row < rows; ++row) add(cols, from + row * round_up(cols, 16), to + row * stride);
}

// forward:  s = x·yᵀ·scale        so        dx = ds·y·scale   dy = dsᵀ·x·scale
static double relate(const RelationHead& head, float* scratch) {
  const RelationSide &student = head.student, &teacher = head.teacher;
  const int64_t length = head.length, size = round_up(student.size, 16), stride = score_stride(length);
  Scratch parts = {scratch};
  float* const yt = parts.take(round_up(length, kAttentionColumns) * student.size);
  float* const its_yt = parts.take(round_up(length, kAttentionColumns) * teacher.size);
  float* const y = parts.take(length * size);
  float* const dy = parts.take(length * size);
  float* const x = parts.take(kAttentionRows * size);
  float* const its_x = parts.take(kAttentionRows * round_up(teacher.size, 16));
  float* const dx = parts.take(kAttentionRows * size);
  float* const s = parts.take(kAttentionRows * stride);
  float* const t = parts.take(kAttentionRows * stride);
  transposed_panels(student.y, student.stride, length, student.size, yt);
  transposed_panels(teacher.y, teacher.stride, length, teacher.size, its_yt);
  gather_rows(student.y, student.stride, length, student.size, y);
  double loss = 0;
  for (int64_t from = 0; from < length; from += kAttentionRows) {
    const int64_t rows = length - from < kAttentionRows ? length - from : kAttentionRows;
    relation_scores(student, length, from, rows, yt, x, s);
    relation_scores(teacher, length, from, rows, its_yt, its_x, t);
    for (int64_t row = 0; row < rows; ++row) {
      const auto row_loss = head.divergence ? divergence_row : squares_row;
      loss += row_loss(length, teacher.scale, t + row * stride, student.scale, s + row * stride, head.weight);
    }
    if (head.dx == nullptr) continue;
    add_to_keys(from == 0 ? 0 : length, {0, length}, size, rows, s, x, dy);
    value_products(rows, length, size, kAttentionDepth, s, stride, y, dx);
    add_columns(dx, rows, student.size, head.dx + from * head.gradient_stride, head.gradient_stride);
  }
  if (head.dx != nullptr) add_columns(dy, length, student.size, head.dy, head.gradient_stride);
  return loss;
}
