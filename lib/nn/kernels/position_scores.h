// The scores of relative positions. Included only by attention.h, inside its namespace.

// Position of a query among the keys.
static inline int64_t position_of(const AttentionHead& head, int64_t row) {
  return head.positions == nullptr ? row : head.positions[row];
}

// By key: the place of the pair's row in head.relative.
static inline const int32_t* rows_of(const AttentionHead& head, int64_t row) {
  return head.relative.row_of - position_of(head, row);
}

// The products of all keys with the position queries [length, rows] are computed once, those of a block's
// queries with the position keys [kAttentionRows, rows] for each block. Each pair of a query and a key then
// reads one number of both.
struct PositionScores {
  const AttentionHead& head;
  int64_t stride;  // of both products
  float *panels, *of_queries, *of_keys;

  PositionScores(const AttentionHead& of, Scratch& parts)
      : head(of),
        stride(score_stride(of.relative.rows)),
        panels(nullptr),
        of_queries(nullptr),
        of_keys(nullptr) {
    const RelativeRows& p = head.relative;
    if (p.row_of == nullptr) return;
    const int64_t panel_size = round_up(p.rows, kAttentionColumns) * head.size;
    panels = parts.take(panel_size);
    of_queries = parts.take(kAttentionRows * stride);
    of_keys = parts.take(head.length * stride);
    float* const query_panels = parts.take(panel_size);
    if (p.keys != nullptr) transposed_panels(p.keys, p.stride, p.rows, head.size, panels);
    if (p.queries == nullptr) return;
    transposed_panels(p.queries, p.stride, p.rows, head.size, query_panels);
    score_products(head.length, p.rows, head.size, head.k, head.kv_stride, query_panels, of_keys);
  }

  // To the scores of the block of rows that begins at row `from`, with queries q [rows, size'].
  void add(int64_t from, int64_t rows, const float* q, float* scores) const {
    const RelativeRows& p = head.relative;
    if (p.row_of == nullptr) return;
    const int64_t length = head.length, score_row = score_stride(length);
    if (p.keys != nullptr)
      score_products(rows, p.rows, head.size, q, round_up(head.size, 16), panels, of_queries);
    for (int64_t row = 0; row < rows; ++row) {
      const int32_t* const places = rows_of(head, from + row);
      const float* const of_query = of_queries + row * stride - p.first;
      const float* const of_key = of_keys - p.first;
      float* const to = scores + row * score_row;
      if (p.keys != nullptr)
        for (int64_t key = 0; key < length; ++key) to[key] += of_query[places[key]];
      if (p.queries != nullptr)
        for (int64_t key = 0; key < length; ++key) to[key] += of_key[key * stride + places[key]];
    }
  }
};

// forward:  s[i,j] = … + q[i]·keys[r] + k[j]·queries[r]        r of the pair (i, j)
// so        with dq_r[i,r] = Σ ds[i,j] and dk_r[j,r] = Σ ds[i,j] over the pairs of r
//           dq += dq_r·keys   dkeys = dq_rᵀ·q        dk += dk_r·queries   dqueries = dk_rᵀ·k
struct PositionGradients {
  const AttentionHeadGradient& gradient;
  int64_t stride, size;
  float *of_queries, *of_keys;               // dq_r of a block, dk_r
  float *keys, *queries, *dkeys, *dqueries;  // [rows, size']

  PositionGradients(const AttentionHeadGradient& of, Scratch& parts)
      : gradient(of), stride(score_stride(of.head.relative.rows)), size(round_up(of.head.size, 16)) {
    const RelativeRows& p = of.head.relative;
    if (p.row_of == nullptr) return;
    of_queries = parts.take(kAttentionRows * stride);
    of_keys = parts.take(of.head.length * stride);
    for (float** part : {&keys, &queries, &dkeys, &dqueries}) *part = parts.take(p.rows * size);
    if (p.keys != nullptr) gather_rows(p.keys, p.stride, p.rows, of.head.size, keys);
    if (p.queries != nullptr) gather_rows(p.queries, p.stride, p.rows, of.head.size, queries);
    for (int64_t i = 0; i < p.rows * size; ++i) dkeys[i] = 0;
    for (int64_t i = 0; i < of.head.length * stride; ++i) of_keys[i] = 0;
  }

  // For the gradients ds of a block's scores, times scale: adds to dq [rows, size'].
  void add(int64_t from, int64_t rows, const float* q, const float* ds, float* dq) const {
    const AttentionHead& head = gradient.head;
    const RelativeRows& p = head.relative;
    if (p.row_of == nullptr) return;
    for (int64_t i = 0; i < rows * stride; ++i) of_queries[i] = 0;
    for (int64_t row = 0; row < rows; ++row) {
      const int32_t* const places = rows_of(head, from + row);
      const float* const of_row = ds + row * score_stride(head.length);
      float* const of_query = of_queries + row * stride - p.first;
      float* const of_key = of_keys - p.first;
      for (int64_t key = 0; key < head.length; ++key) {
        of_query[places[key]] += of_row[key];
        of_key[key * stride + places[key]] += of_row[key];
      }
    }
    if (p.keys == nullptr) return;
    product_into<Into::add>(rows, size, p.rows, of_queries, stride, keys, size, dq, size);
    product_into<Into::add, Left::transposed>(p.rows, size, rows, of_queries, stride, q, size, dkeys, size);
  }

  // After the last block: k and dk [length, size'].
  void finish(const float* k, float* dk) const {
    const AttentionHead& head = gradient.head;
    const RelativeRows& p = head.relative;
    if (p.row_of == nullptr) return;
    if (p.keys != nullptr) add_rows(dkeys, gradient.dposition_keys);
    if (p.queries == nullptr) return;
    product_into<Into::add>(head.length, size, p.rows, of_keys, stride, queries, size, dk, size);
    product_into<Into::replace, Left::transposed>(p.rows, size, head.length, of_keys, stride, k, size,
                                                  dqueries, size);
    add_rows(dqueries, gradient.dposition_queries);
  }

 private:
  void add_rows(const float* from, float* to) const {
    for (int64_t row = 0; row < gradient.head.relative.rows; ++row)
      for (int64_t i = 0; i < gradient.head.size; ++i)
        to[row * gradient.dposition_stride + i] += from[row * size + i];
  }
};
