#include "nn/relative_bias.h"

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

// The first distance of each bucket of a direction, by the formula of T5.
constexpr int64_t kFirst[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 23, 32, 46, 64, 91};

int64_t slow_bucket(int64_t distance) {
  const int64_t bucket = std::ranges::upper_bound(kFirst, std::abs(distance)) - kFirst - 1;
  return distance > 0 ? 16 + bucket : bucket;
}

// One head of a sequence, some of whose tokens are queries.
struct Head {
  int64_t length, size;
  std::vector<int64_t> positions;
  std::vector<KeyRange> seen;
  std::vector<float> q, k, v, dout, bias;  // the bias by distance

  Head(std::mt19937& random, int64_t length, int64_t size, bool causal, bool some)
      : length(length), size(size) {
    for (int64_t i = 0; i < length; ++i)
      if (!some || random() % 3 == 0) positions.push_back(i);
    for (const int64_t position : positions) seen.push_back({0, causal ? position + 1 : length});
    q = normal_numbers(random, rows() * size);
    dout = normal_numbers(random, rows() * size);
    k = normal_numbers(random, length * size);
    v = normal_numbers(random, length * size);
    bias = normal_numbers(random, 2 * length - 1, 3);
  }
  int64_t rows() const { return std::ssize(positions); }
  AttentionHead head(float* out) const {
    return {.q = q.data(),
            .q_stride = size,
            .rows = rows(),
            .k = k.data(),
            .v = v.data(),
            .kv_stride = size,
            .length = length,
            .size = size,
            .scale = 0.3f,
            .out = out,
            .out_stride = size,
            .seen = seen.data(),
            .bias = bias.data() + length - 1,
            .positions = rows() == length ? nullptr : positions.data()};
  }
};

// With columns of q and k whose products are the bias, so that the reference need not know it.
struct Widened {
  Matrix q, k, v, dout;

  explicit Widened(const Head& head)
      : q(widened(head.q, head.size, head.length)),
        k(widened(head.k, head.size, head.length)),
        v(widened(head.v, head.size, head.length)),
        dout(widened(head.dout, head.size, head.length)) {
    const auto size = static_cast<size_t>(head.size);
    for (size_t j = 0; j < k.size(); ++j) {
      k[j][size + j] = 1;
      for (size_t i = 0; i < q.size(); ++i)
        q[i][size + j] = head.bias[static_cast<size_t>(std::ssize(k) - 1 - head.positions[i]) + j];
    }
  }
};

void check(const Head& head, float p) {
  const DroppedProbabilities dropped = {{5, 9}, DropoutRate(p)};
  const Matrix keep = reference::keep_factors(dropped.key, dropped.rate, head.positions.size(),
                                              static_cast<size_t>(head.length));
  const Widened wide(head);
  const double scale = double{0.3f};
  const auto out = reference::attend_dropped(wide.q, wide.k, wide.v, scale, keep, head.seen);
  const auto gradient = reference::attend_backward(wide.q, wide.k, wide.v, scale, keep, wide.dout, head.seen);
  Row dbias(head.bias.size());
  for (size_t i = 0; i < gradient.dq.size(); ++i)
    for (int64_t j = 0; j < head.length; ++j)
      dbias[static_cast<size_t>(j - head.positions[i] + head.length - 1)] +=
          gradient.dq[i][static_cast<size_t>(head.size + j)];
  for (const Kernels* table : tables()) {
    std::vector<float> found(head.q.size()), dq(head.q.size()), dk(head.k.size()), dv(head.k.size());
    std::vector<float> scratch(static_cast<size_t>(attention_scratch(head.length, head.size)));
    std::vector<float> by_distance(head.bias.size() + 2);
    if (table->attend_bf16 != nullptr) {
      table->attend_bf16(head.head(found.data()), dropped, scratch.data());
      CHECK(error(flat(out, head.size), found) < 8e-3);  // of unrounded factors
    }
    table->attend(head.head(found.data()), dropped, scratch.data());
    table->attend_backward({.head = head.head(found.data()),
                            .dropped = dropped,
                            .dout = head.dout.data(),
                            .dout_stride = head.size,
                            .dq = dq.data(),
                            .dq_stride = head.size,
                            .dk = dk.data(),
                            .dv = dv.data(),
                            .dkv_stride = head.size,
                            .next = nullptr,
                            .dbias = by_distance.data() + head.length},
                           scratch.data());
    CHECK(error(flat(out, head.size), found) < 2e-6);
    CHECK(error(flat(gradient.dv, head.size), dv) < 2e-6);
    CHECK(by_distance.front() == 0);
    CHECK(by_distance.back() == 0);
    if (head.length == 1) continue;  // with a single key the scores have no gradient
    CHECK(error(flat(gradient.dq, head.size), dq) < 4e-6);
    CHECK(error(flat(gradient.dk, head.size), dk) < 4e-6);
    CHECK(error(dbias, {by_distance.begin() + 1, by_distance.end() - 1}) < 4e-6);
  }
}

}  // namespace

TEST_CASE("a distance has its direction's bucket, exact near and logarithmic far away") {
  for (int64_t distance = -3000; distance <= 3000; ++distance)
    CHECK(RelativeBias::bucket(distance) == slow_bucket(distance));
}

TEST_CASE("attention with a bias and its gradients match double precision") {
  std::mt19937 random(3);
  for (const int64_t length : {1, 2, 16, 17, 50, 130}) {
    for (const int64_t size : {1, 3, 8, 26}) {
      for (const bool causal : {false, true}) {
        for (const bool some : {false, true}) {
          CAPTURE(length);
          CAPTURE(size);
          CAPTURE(causal);
          CAPTURE(some);
          const Head head(random, length, size, causal, some);
          check(head, 0);
          check(head, 0.3f);
        }
      }
    }
  }
}

TEST_CASE("the table is spread to distances, and the gradients of distances are added to it") {
  std::mt19937 random(4);
  constexpr int64_t kRows = 34, kHeads = 3;
  Layout layout;
  layout.add_plain("before", {5});
  const RelativeBias bias("table", {.rows = kRows, .heads = kHeads, .head_size = 16}, layout);
  Params params(layout), gradients(layout);
  for (float& number : params.tensor(1)) number = normal_numbers(random, 1)[0];
  const Weights weights(params);
  for (const int64_t longest : {1, 2, 40, 200}) {
    const int64_t offsets[] = {0, longest, longest + 1};
    ByDistance<float> spread;
    bias.forward(weights, offsets, spread);
    REQUIRE(spread.longest == longest);
    ByDistance<double> dbias;
    dbias.resize(kHeads, longest);
    std::vector<double> expected(kRows * kHeads, 1);
    std::ranges::fill(gradients.tensor(1), 1.0f);
    for (int64_t head = 0; head < kHeads; ++head) {
      for (int64_t distance = 1 - longest; distance < longest; ++distance) {
        const auto place = static_cast<size_t>(slow_bucket(distance) * kHeads + head);
        CHECK(spread.center(head)[distance] == 4 * params.tensor(1)[place]);
        dbias.center(head)[distance] = static_cast<double>(head * 100 + distance);
        expected[place] += 4 * static_cast<double>(head * 100 + distance);
      }
    }
    bias.backward(dbias, gradients);
    for (size_t i = 0; i < expected.size(); ++i) CHECK(gradients.tensor(1)[i] == expected[i]);
  }
}

TEST_CASE("slopes of ALiBi are those of Press et al., also for heads that are not a power of two") {
  CHECK(RelativeBias::slopes(1) == std::vector{1.0 / 256});
  CHECK(RelativeBias::slopes(2) == std::vector{1.0 / 16, 1.0 / 256});
  // The slopes of 8 heads, then the first, third, fifth and seventh of 16.
  auto expected = RelativeBias::slopes(8);
  const auto more = RelativeBias::slopes(16);
  for (const size_t i : {0, 2, 4, 6}) expected.push_back(more[i]);
  CHECK(RelativeBias::slopes(12) == expected);
  CHECK(expected[11] == doctest::Approx(0.08838834764831845));  // 2^-3.5
}
