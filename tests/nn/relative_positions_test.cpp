#include "nn/relative_positions.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "nn/tables.h"
#include "nn/wide_heads.h"
#include "reference/slow_training.h"

using namespace bert;
using namespace bert::nn;
using reference::Matrix;
using reference::Row;

namespace {

// One head of a sequence, some of whose tokens are queries, and the rows of a table that its distances read,
// among others.
struct Head {
  int64_t length, size, stride;
  RelativePositionConfig config;
  std::vector<int64_t> positions;
  std::vector<int32_t> row_of;
  int64_t first, rows;
  std::vector<float> q, k, v, dout, position_keys, position_queries;

  Head(std::mt19937& random, int64_t length, int64_t size, const RelativePositionConfig& config, bool some)
      : length(length), size(size), stride(size + 3), config(config) {
    for (int64_t i = 0; i < length; ++i)
      if (!some || random() % 3 == 0) positions.push_back(i);
    for (int64_t distance = 1 - length; distance < length; ++distance)
      row_of.push_back(static_cast<int32_t>(RelativePositions::row(config, distance)));
    first = row_of.back();
    rows = row_of.front() - first + 1;
    q = normal_numbers(random, queries() * size);
    dout = normal_numbers(random, queries() * size);
    k = normal_numbers(random, length * size);
    v = normal_numbers(random, length * size);
    position_keys = normal_numbers(random, 2 * config.span * stride);
    position_queries = normal_numbers(random, 2 * config.span * stride);
  }
  int64_t queries() const { return std::ssize(positions); }
  int64_t row(size_t query, size_t key) const {
    return row_of[static_cast<size_t>(static_cast<int64_t>(key) - positions[query] + length - 1)];
  }
  AttentionHead head(float* out) const {
    return {.q = q.data(),
            .q_stride = size,
            .rows = queries(),
            .k = k.data(),
            .v = v.data(),
            .kv_stride = size,
            .length = length,
            .size = size,
            .scale = 0.3f,
            .out = out,
            .out_stride = size,
            .positions = queries() == length ? nullptr : positions.data(),
            .relative = {.keys = config.keys ? position_keys.data() + first * stride : nullptr,
                         .queries = config.queries ? position_queries.data() + first * stride : nullptr,
                         .stride = stride,
                         .first = first,
                         .rows = rows,
                         .row_of = row_of.data() + length - 1}};
  }
};

double dot(const float* x, const float* y, int64_t size) {
  double sum = 0;
  for (int64_t i = 0; i < size; ++i) sum += double{x[i]} * y[i];
  return sum;
}

// Adds factor·x to the columns of a row.
void add(double factor, const float* x, int64_t size, double* to) {
  for (int64_t i = 0; i < size; ++i) to[i] += factor * x[i];
}

struct Expected {
  Row out, dq, dk, dv, dkeys, dqueries;

  Expected(const Head& head, const DroppedProbabilities& dropped) {
    const int64_t size = head.size;
    const auto n = static_cast<size_t>(head.queries()), length = static_cast<size_t>(head.length);
    auto q = widened(head.q, size, head.length), k = widened(head.k, size, head.length);
    const auto v = widened(head.v, size, head.length), dout_rows = widened(head.dout, size, head.length);
    for (size_t j = 0; j < length; ++j) {
      k[j][static_cast<size_t>(size) + j] = 1;
      for (size_t i = 0; i < n; ++i) {
        double& added = q[i][static_cast<size_t>(size) + j];
        const auto at = head.row(i, j) * head.stride;
        if (head.config.keys)
          added +=
              dot(&head.q[i * static_cast<size_t>(size)], &head.position_keys[static_cast<size_t>(at)], size);
        if (head.config.queries)
          added += dot(&head.k[j * static_cast<size_t>(size)],
                       &head.position_queries[static_cast<size_t>(at)], size);
      }
    }
    const Matrix keep = reference::keep_factors(dropped.key, dropped.rate, n, length);
    const double scale = double{0.3f};
    out = flat(reference::attend_dropped(q, k, v, scale, keep), size);
    const auto gradient = reference::attend_backward(q, k, v, scale, keep, dout_rows);
    dq = flat(gradient.dq, size);
    dk = flat(gradient.dk, size);
    dv = flat(gradient.dv, size);
    dkeys.resize(head.position_keys.size());
    dqueries.resize(head.position_queries.size());
    for (size_t i = 0; i < n; ++i) {
      for (size_t j = 0; j < length; ++j) {
        const double ds = gradient.dq[i][static_cast<size_t>(size) + j];
        const auto at = static_cast<size_t>(head.row(i, j) * head.stride);
        const size_t query = i * static_cast<size_t>(size), key = j * static_cast<size_t>(size);
        if (head.config.keys) {
          add(ds, &head.position_keys[at], size, &dq[query]);
          add(ds, &head.q[query], size, &dkeys[at]);
        }
        if (head.config.queries) {
          add(ds, &head.position_queries[at], size, &dk[key]);
          add(ds, &head.k[key], size, &dqueries[at]);
        }
      }
    }
  }
};

void check(const Head& head, float p) {
  const DroppedProbabilities dropped = {{5, 9}, DropoutRate(p)};
  const Expected expected(head, dropped);
  for (const Kernels* table : tables()) {
    std::vector<float> out(head.q.size()), dq(head.q.size()), dk(head.k.size()), dv(head.k.size());
    std::vector<float> dkeys(head.position_keys.size()), dqueries(head.position_queries.size());
    std::vector<float> scratch(static_cast<size_t>(attention_scratch(head.length, head.size, head.rows)) + 1,
                               7);
    table->attend(head.head(out.data()), dropped, scratch.data());
    table->attend_backward({.head = head.head(out.data()),
                            .dropped = dropped,
                            .dout = head.dout.data(),
                            .dout_stride = head.size,
                            .dq = dq.data(),
                            .dq_stride = head.size,
                            .dk = dk.data(),
                            .dv = dv.data(),
                            .dkv_stride = head.size,
                            .next = nullptr,
                            .dposition_keys = dkeys.data() + head.first * head.stride,
                            .dposition_queries = dqueries.data() + head.first * head.stride,
                            .dposition_stride = head.stride},
                           scratch.data());
    CHECK(scratch.back() == 7);
    CHECK(error(expected.out, out) < 3e-6);
    CHECK(error(expected.dv, dv) < 3e-6);
    if (head.length == 1) continue;  // with a single key the scores have no gradient
    CHECK(error(expected.dq, dq) < 6e-6);
    CHECK(error(expected.dk, dk) < 6e-6);
    if (head.config.keys) CHECK(error(expected.dkeys, dkeys) < 6e-6);
    if (head.config.queries) CHECK(error(expected.dqueries, dqueries) < 6e-6);
  }
}

}  // namespace

TEST_CASE("near distances have a row each, far ones share them on a logarithmic scale") {
  const RelativePositionConfig plain = {.span = 5};
  for (int64_t distance = -20; distance <= 20; ++distance)
    CHECK(RelativePositions::row(plain, distance) == std::clamp<int64_t>(5 - distance, 0, 9));
  // 16 rows for each direction, 8 of them for the nearest: 8 + ⌈log(n / 8) / log(63 / 8)·7⌉.
  const RelativePositionConfig shared = {.span = 16, .distances = 64};
  const int64_t last_of_rows[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 14, 19, 26, 34, 46, 63};
  for (int64_t distance = 0; distance < 200; ++distance) {
    const int64_t row =
        std::ranges::lower_bound(last_of_rows, std::min<int64_t>(distance, 63)) - last_of_rows;
    const int64_t beyond = distance > 63 ? 16 : row;  // further than the last row
    CHECK(RelativePositions::row(shared, -distance) == std::min<int64_t>(16 + beyond, 31));
    CHECK(RelativePositions::row(shared, distance) == 16 - beyond);
  }
}

TEST_CASE("attention with relative positions and its gradients match double precision") {
  std::mt19937 random(3);
  for (const int64_t length : {1, 2, 16, 17, 50, 130}) {
    for (const int64_t size : {1, 3, 8, 26}) {
      for (const bool some : {false, true}) {
        for (const RelativePositionConfig& config : {RelativePositionConfig{.span = 20, .distances = 60},
                                                     RelativePositionConfig{.span = 150, .queries = false},
                                                     RelativePositionConfig{.span = 3, .keys = false}}) {
          CAPTURE(length);
          CAPTURE(size);
          CAPTURE(some);
          CAPTURE(config.span);
          const Head head(random, length, size, config, some);
          check(head, 0);
          check(head, 0.3f);
        }
      }
    }
  }
}
