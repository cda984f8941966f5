#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "base/dtype.h"
#include "nn/kernels/kernels.h"
#include "nn/tables.h"
#include "reference/slow_training.h"

using namespace bert;
using namespace bert::nn;
using reference::Matrix;
using reference::Row;

namespace {

constexpr Activation kActivations[] = {Activation::none, Activation::gelu, Activation::gelu_tanh,
                                       Activation::relu, Activation::silu, Activation::tanh};

Row row_of(const std::vector<float>& numbers) { return {numbers.begin(), numbers.end()}; }

Matrix matrix(const std::vector<float>& data, int64_t rows, int64_t cols, int64_t stride) {
  Matrix m;
  for (int64_t i = 0; i < rows; ++i) {
    m.emplace_back(data.begin() + i * stride, data.begin() + i * stride + cols);
  }
  return m;
}

// ‖actual - expected‖ / ‖expected‖ of a [rows, cols] matrix with a stride.
double relative_error(const Matrix& expected, const float* actual, int64_t stride) {
  double difference = 0, norm = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    for (size_t j = 0; j < expected[i].size(); ++j) {
      const double value = actual[static_cast<int64_t>(i) * stride + static_cast<int64_t>(j)];
      difference += (value - expected[i][j]) * (value - expected[i][j]);
      norm += expected[i][j] * expected[i][j];
    }
  }
  return std::sqrt(difference / std::max(norm, 1e-30));
}

double relative_error(const Row& expected, const Row& actual) {
  double difference = 0, norm = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    difference += (actual[i] - expected[i]) * (actual[i] - expected[i]);
    norm += expected[i] * expected[i];
  }
  return std::sqrt(difference / std::max(norm, 1e-30));
}

double norm(const Row& numbers) {
  double sum = 0;
  for (const double number : numbers) sum += number * number;
  return std::sqrt(sum);
}

// 1 / √(var + ε)
double inverse_deviation(const Row& s, double epsilon) {
  const auto count = static_cast<double>(s.size());
  double mean = 0, variance = 0;
  for (const double value : s) mean += value / count;
  for (const double value : s) variance += (value - mean) * (value - mean) / count;
  return 1 / std::sqrt(variance + epsilon);
}

double inner(const Matrix& a, const Matrix& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    for (size_t j = 0; j < a[i].size(); ++j) sum += a[i][j] * b[i][j];
  }
  return sum;
}

Matrix normal_matrix(std::mt19937& random, size_t rows, size_t cols) {
  std::normal_distribution<double> normal;
  Matrix m(rows, Row(cols));
  for (auto& row : m) {
    for (double& value : row) value = normal(random);
  }
  return m;
}

}  // namespace

TEST_CASE("the reference gradients equal central differences of their functions") {
  std::mt19937 random(4);
  for (auto activation : kActivations) {
    for (double x = -6.03; x < 6; x += 0.11) {
      Row at = {x};
      const Row slope =
          reference::central_differences(at, [&] { return reference::activate(activation, at[0]); });
      CHECK(reference::activation_slope(activation, x) == doctest::Approx(slope[0]).epsilon(1e-6));
    }
  }
  for (size_t n : {2, 5, 24}) {
    Matrix m = normal_matrix(random, 4, n);
    Row &s = m[0], &gain = m[1], &bias = m[2];
    const Row dy = m[3];
    const auto loss = [&] { return inner({dy}, {reference::layer_norm(s, gain, bias, 1e-3)}); };
    const auto gradient = reference::layer_norm_backward(s, gain, 1e-3, dy);
    CHECK(relative_error(reference::central_differences(s, loss), gradient.ds) < 1e-6);
    CHECK(relative_error(reference::central_differences(gain, loss), gradient.dgain) < 1e-6);
    CHECK(relative_error(reference::central_differences(bias, loss), gradient.dbias) < 1e-6);
  }
  for (size_t length : {1, 2, 7}) {
    Matrix q = normal_matrix(random, length, 5), k = normal_matrix(random, length, 5),
           v = normal_matrix(random, length, 5);
    const Matrix dout = normal_matrix(random, length, 5);
    const Matrix keep = reference::keep_factors({5, 6}, DropoutRate(0.3f), length, length);
    const auto loss = [&] { return inner(dout, reference::attend_dropped(q, k, v, 0.4, keep)); };
    const auto gradient = reference::attend_backward(q, k, v, 0.4, keep, dout);
    for (size_t i = 0; i < length; ++i) {
      const auto check = [&](Row& numbers, const Row& expected) {
        const Row differences = reference::central_differences(numbers, loss);
        for (size_t j = 0; j < differences.size(); ++j) CHECK(std::abs(differences[j] - expected[j]) < 1e-8);
      };
      check(q[i], gradient.dq[i]);
      check(k[i], gradient.dk[i]);
      check(v[i], gradient.dv[i]);
    }
  }
}

TEST_CASE("activations and their derivatives match double precision over all magnitudes") {
  std::vector<float> x;
  for (float value = -12; value < 12; value += 0.00037f) x.push_back(value);
  for (float value = 1e-30f; value < 1e5f; value *= 1.7f) x.insert(x.end(), {value, -value});
  const std::vector<float> dy(x.size(), 1.5f);
  std::vector<float> y(x.size()), dx(x.size());
  for (const Kernels* table : tables()) {
    for (auto activation : kActivations) {
      table->activation_backward(static_cast<int64_t>(x.size()), activation, x.data(), dy.data(), y.data(),
                                 dx.data());
      double worst = 0, worst_slope = 0;
      for (size_t i = 0; i < x.size(); ++i) {
        const double expected = reference::activate(activation, x[i]);
        const double bound =
            3e-7 * std::min(1.0, std::abs(static_cast<double>(x[i]))) + 2.5e-7 * std::abs(expected) + 1e-37;
        worst = std::max(worst, std::abs(y[i] - expected) / bound);
        worst_slope =
            std::max(worst_slope, std::abs(dx[i] / 1.5 - reference::activation_slope(activation, x[i])));
      }
      CHECK_MESSAGE(worst <= 1, table->name, " activation ", static_cast<int>(activation), ": ", worst);
      CHECK_MESSAGE(worst_slope <= 7e-7, table->name, " activation ", static_cast<int>(activation), ": ",
                    worst_slope);
    }
    for (int64_t n = 1; n < 80; ++n) {  // nothing is written beyond the last number
      std::vector<float> same(x.begin(), x.begin() + n), gradient(same.size() + 1, 7);
      gradient.assign(same.size(), 2);
      gradient.push_back(7);
      table->activation_backward(n, Activation::silu, same.data(), gradient.data(), same.data(),
                                 gradient.data());
      CHECK(gradient.back() == 7);
      const auto last = static_cast<size_t>(n - 1);
      CHECK(gradient[last] ==
            doctest::Approx(2 * reference::activation_slope(Activation::silu, x[last])).epsilon(1e-4));
    }
  }
}

TEST_CASE("layer normalization gradients match double precision for any width") {
  std::mt19937 random(2);
  for (const Kernels* table : tables()) {
    for (int64_t n : {2, 5, 8, 16, 24, 31, 64, 78, 80, 312, 768, 1024}) {
      const auto s = normal_numbers(random, n, 3), gain = normal_numbers(random, n),
                 dy = normal_numbers(random, n), before = normal_numbers(random, n);
      auto dx = dy, dgain = before, dbias = before;
      table->layer_norm_backward(n, s.data(), gain.data(), 1e-3f, dx.data(), dx.data(), dgain.data(),
                                 dbias.data());
      const auto expected = reference::layer_norm_backward(row_of(s), row_of(gain), 1e-3f, row_of(dy));
      Row sum_gain = expected.dgain, sum_bias = expected.dbias;
      for (size_t i = 0; i < sum_gain.size(); ++i) {
        sum_gain[i] += before[i];
        sum_bias[i] += before[i];
      }
      // Relative to r·g: ds is what remains of it after subtraction, almost nothing for a width of 2.
      Row g;
      for (size_t i = 0; i < dy.size(); ++i) g.push_back(static_cast<double>(dy[i]) * gain[i]);
      const double left = norm(expected.ds) / (norm(g) * inverse_deviation(row_of(s), 1e-3f));
      CHECK_MESSAGE(relative_error(expected.ds, row_of(dx)) * left < 4e-7, table->name, " width ", n);
      CHECK_MESSAGE(relative_error(sum_gain, row_of(dgain)) < 5e-7, table->name, " width ", n);
      CHECK_MESSAGE(relative_error(sum_bias, row_of(dbias)) < 2e-7, table->name, " width ", n);
    }
  }
}

std::vector<float> in_bf16(std::vector<float> numbers) {
  std::vector<std::byte> rounded(2 * numbers.size());
  from_f32(numbers, Dtype::bf16, rounded.data());
  to_f32(Dtype::bf16, rounded.data(), numbers);
  return numbers;
}

// The same rows as pairs of bf16, `stride` floats apart.
std::vector<float> in_pairs(const Kernels& table, const float* numbers, int64_t from_stride, int64_t rows,
                            int64_t size, int64_t stride) {
  std::vector<float> pairs(static_cast<size_t>(rows * stride));
  for (int64_t row = 0; row < rows; ++row)
    table.to_bf16(size, numbers + row * from_stride, reinterpret_cast<uint16_t*>(&pairs[row * stride]));
  return pairs;
}

// What attend_bf16 makes of these; `beside` is left elsewhere.
std::vector<float> attend_pairs(const Kernels& table, AttentionHead head, const DroppedProbabilities& dropped,
                                float* scratch, size_t numbers, float beside) {
  const int64_t stride = head.size / 2 + 3;
  const auto q = in_pairs(table, head.q, head.q_stride, head.rows, head.size, stride),
             k = in_pairs(table, head.k, head.kv_stride, head.length, head.size, stride),
             v = in_pairs(table, head.v, head.kv_stride, head.length, head.size, stride);
  std::vector<float> out(numbers, beside);
  head.q = q.data();
  head.k = k.data();
  head.v = v.data();
  head.q_stride = head.kv_stride = stride;
  head.out = out.data();
  head.in_pairs = true;
  table.attend_bf16(head, dropped, scratch);
  return out;
}

enum class Sees { all, before, near };

// The keys that each query sees, ascending; none if it sees all. The queries are all tokens or some of them.
std::vector<KeyRange> seen_keys(std::mt19937& random, Sees sees, int64_t rows, int64_t length) {
  std::vector<int64_t> positions;
  for (int64_t row = 0; sees != Sees::all && row < rows; ++row)
    positions.push_back(rows == length ? row
                                       : static_cast<int64_t>(random() % static_cast<uint32_t>(length)));
  std::ranges::sort(positions);
  const auto window = static_cast<int64_t>(random() % 90);
  std::vector<KeyRange> seen;
  for (const int64_t position : positions) {
    if (sees == Sees::before) seen.push_back({0, position + 1});
    if (sees == Sees::near)
      seen.push_back({std::max<int64_t>(0, position - window), std::min(length, position + window + 1)});
  }
  return seen;
}

TEST_CASE("attention and its gradients match double precision for any length, head size and dropout rate") {
  std::mt19937 random(3);
  std::vector<std::pair<int64_t, int64_t>> shapes;
  for (int64_t length = 1; length <= 130; length += length < 20 ? 1 : 7) {
    shapes.emplace_back(length, 8 + static_cast<int64_t>(random() % 73));
  }
  for (int64_t size : {8, 24, 26, 32, 64, 80}) shapes.emplace_back(97, size);
  shapes.emplace_back(300, 64);
  for (const auto& [length, size] : shapes) {
    const int64_t stride = size + 5;
    const auto q = normal_numbers(random, length * stride), k = normal_numbers(random, length * stride),
               v = normal_numbers(random, length * stride), dout = normal_numbers(random, length * stride);
    const float scale = 1 / std::sqrt(static_cast<float>(size));
    for (const auto& [p, sees] : {std::pair(0.0f, Sees::all),
                                  {0.1f, Sees::all},
                                  {0.5f, Sees::all},
                                  {0.0f, Sees::before},
                                  {0.1f, Sees::before},
                                  {0.5f, Sees::before},
                                  {0.0f, Sees::near},
                                  {0.1f, Sees::near},
                                  {0.5f, Sees::near}}) {
      // All queries, or only the first ones; q, out and dq then have that many rows.
      const int64_t rows =
          p < 0.2f ? length : static_cast<int64_t>(random() % static_cast<uint32_t>(length + 1));
      const auto seen = seen_keys(random, sees, rows, length);
      const DroppedProbabilities dropped = {{static_cast<uint32_t>(random()), 9}, DropoutRate(p)};
      const Matrix keep = reference::keep_factors(dropped.key, dropped.rate, static_cast<size_t>(rows),
                                                  static_cast<size_t>(length));
      const auto queries = matrix(q, rows, size, stride), keys = matrix(k, length, size, stride),
                 values = matrix(v, length, size, stride), douts = matrix(dout, rows, size, stride);
      const Matrix expected = reference::attend_dropped(queries, keys, values, scale, keep, seen);
      const Matrix expected_bf16 = reference::attend_dropped(
          matrix(in_bf16(q), rows, size, stride), matrix(in_bf16(k), length, size, stride),
          matrix(in_bf16(v), length, size, stride), scale, keep, seen);
      const auto gradient = reference::attend_backward(queries, keys, values, scale, keep, douts, seen);
      for (const Kernels* table : tables()) {
        std::vector<float> out(q.size(), 7), dq = out, dk = out, dv = out;
        std::vector<float> scratch(static_cast<size_t>(attention_scratch(length, size)) + 1, 7);
        const AttentionHead head = {.q = q.data(),
                                    .q_stride = stride,
                                    .rows = rows,
                                    .k = k.data(),
                                    .v = v.data(),
                                    .kv_stride = stride,
                                    .length = length,
                                    .size = size,
                                    .scale = scale,
                                    .out = out.data(),
                                    .out_stride = stride,
                                    .seen = seen.empty() ? nullptr : seen.data()};
        table->attend(head, dropped, scratch.data());
        const AttentionHeadGradient back = {.head = head,
                                            .dropped = dropped,
                                            .dout = dout.data(),
                                            .dout_stride = stride,
                                            .dq = dq.data(),
                                            .dq_stride = stride,
                                            .dk = dk.data(),
                                            .dv = dv.data(),
                                            .dkv_stride = stride};
        table->attend_backward(back, scratch.data());
        const std::string where = std::string(table->name) + " length " + std::to_string(length) + " size " +
                                  std::to_string(size) + " rows " + std::to_string(rows) + " rate " +
                                  std::to_string(p) + " sees " + std::to_string(static_cast<int>(sees));
        CHECK_MESSAGE(relative_error(expected, out.data(), stride) < 2e-6, where);
        if (table->attend_bf16 != nullptr) {
          std::vector<float> found = out;
          AttentionHead rounding = head;
          rounding.out = found.data();
          table->attend_bf16(rounding, dropped, scratch.data());
          CHECK_MESSAGE(relative_error(expected_bf16, found.data(), stride) < 3e-3, where, ", bf16");
          if (size % 16 == 0)
            CHECK_MESSAGE(attend_pairs(*table, head, dropped, scratch.data(), out.size(), 7) == found, where);
          std::swap(out, found);  // for what is beside the columns
        }
        CHECK_MESSAGE(relative_error(gradient.dv, dv.data(), stride) < 2e-6, where);
        if (length > 1) {  // with a single key the scores have no gradient
          CHECK_MESSAGE(relative_error(gradient.dq, dq.data(), stride) < 4e-6, where);
          CHECK_MESSAGE(relative_error(gradient.dk, dk.data(), stride) < 4e-6, where);
        }
        CHECK_MESSAGE(scratch.back() == 7, where);
        bool beside = false;
        for (int64_t i = 0; i < length * stride; ++i) {
          const auto at = static_cast<size_t>(i);
          if (i % stride >= size) beside = beside || dk[at] != 7 || dv[at] != 7;
          if (i % stride >= size || i >= rows * stride) beside = beside || out[at] != 7 || dq[at] != 7;
        }
        CHECK_MESSAGE(!beside, where, " wrote beside its columns");
      }
    }
  }
}

TEST_CASE("with a single key the scores get no gradient") {
  std::mt19937 random(6);
  for (const Kernels* table : tables()) {
    const auto q = normal_numbers(random, 64), dout = normal_numbers(random, 64);
    std::vector<float> out(64), dq(64, 7), dk(64, 7), dv(64, 7);
    std::vector<float> scratch(static_cast<size_t>(attention_scratch(1, 64)));
    table->attend_backward({.head = {.q = q.data(),
                                     .q_stride = 64,
                                     .rows = 1,
                                     .k = q.data(),
                                     .v = q.data(),
                                     .kv_stride = 64,
                                     .length = 1,
                                     .size = 64,
                                     .scale = 0.125f,
                                     .out = out.data(),
                                     .out_stride = 64},
                            .dropped = {},
                            .dout = dout.data(),
                            .dout_stride = 64,
                            .dq = dq.data(),
                            .dq_stride = 64,
                            .dk = dk.data(),
                            .dv = dv.data(),
                            .dkv_stride = 64},
                           scratch.data());
    for (size_t i = 0; i < 64; ++i) {
      CHECK(std::abs(dq[i]) < 1e-5);
      CHECK(std::abs(dk[i]) < 1e-5);
      CHECK(dv[i] == dout[i]);
    }
  }
}
