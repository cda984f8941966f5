#include "nn/kernels/kernels.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <string_view>
#include <vector>

#include "base/dtype.h"
#include "nn/tables.h"
#include "reference/slow_layers.h"

using namespace bert;
using namespace bert::nn;

namespace {

reference::Matrix matrix(const float* data, int64_t rows, int64_t cols, int64_t stride) {
  reference::Matrix m;
  for (int64_t i = 0; i < rows; ++i) m.emplace_back(data + i * stride, data + i * stride + cols);
  return m;
}

double relative_error(const reference::Row& expected, const float* actual) {
  double difference = 0, norm = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    difference += (actual[i] - expected[i]) * (actual[i] - expected[i]);
    norm += expected[i] * expected[i];
  }
  return std::sqrt(difference / norm);
}

// GELU that is rounded to bf16.
void check_rough(const Kernels& table, const std::vector<float>& x, const std::vector<uint16_t>& halves) {
  std::vector<float> y(x.size());
  to_f32(Dtype::bf16, reinterpret_cast<const std::byte*>(halves.data()), y);
  for (size_t i = 0; i < x.size(); ++i) {
    const double expected = reference::activate(Activation::gelu, x[i]),
                 bound = 1.05e-5 * std::max(4.4, std::abs(static_cast<double>(x[i]))) +
                         0x1p-8 * std::abs(expected);
    CHECK_MESSAGE(std::abs(y[i] - expected) <= bound + 1e-37, table.name, " GELU of ", x[i], " is ", y[i],
                  ", expected ", expected);
  }
}

// Whether the products of random bytes, or of the largest ones, with a panel [depth, cols] are exact.
bool exact_products(const Kernels& table, int64_t cols, int most, int64_t rows, int64_t depth,
                    std::mt19937& random) {
  const bool largest = rows % 2 == 0;
  std::vector<uint8_t> x((rows + 5) * depth, 255);
  std::vector<int8_t> panel(depth * cols, static_cast<int8_t>(-most));
  if (!largest) {
    for (uint8_t& byte : x) byte = static_cast<uint8_t>(random());
    for (int8_t& integer : panel)
      integer = static_cast<int8_t>(static_cast<int>(random() % (2 * most + 1)) - most);
  }
  std::vector<int32_t> sums((rows + 5) * cols, -1), expected(rows * cols);
  table.multiply_panel_i8({.rows = rows,
                           .depth = depth / 4,
                           .x = reinterpret_cast<const float*>(x.data()),
                           .x_stride = depth / 4,
                           .panel = reinterpret_cast<const float*>(panel.data()),
                           .next = nullptr,
                           .sums = reinterpret_cast<float*>(sums.data())});
  for (int64_t i = 0; i < rows * cols; ++i) {
    for (int64_t k = 0; k < depth; ++k)
      expected[i] += x[i / cols * depth + k] * panel[(k / 4 * cols + i % cols) * 4 + k % 4];
  }
  return std::equal(expected.begin(), expected.end(), sums.begin());
}

}  // namespace

TEST_CASE("activations match double precision over all magnitudes") {
  std::vector<float> x;
  for (float value = -12; value < 12; value += 0.00037f) x.push_back(value);
  for (float value = 1e-30f; value < 1e5f; value *= 1.7f) x.insert(x.end(), {value, -value});
  x.resize(x.size() / 16 * 16);
  const auto n = static_cast<int64_t>(x.size());
  const std::vector<float> bias(x.size());
  std::vector<float> y(x.size()), residual(x.rbegin(), x.rend());
  for (const Kernels* table : tables()) {
    for (auto activation : {Activation::none, Activation::gelu, Activation::gelu_tanh, Activation::relu,
                            Activation::silu, Activation::tanh}) {
      RawTile tile = {.rows = 1,
                      .columns = n,
                      .stride = n,
                      .layer = {.numbers = x.data(), .bias = bias.data()},
                      .activation = activation};
      table->finish_tile(tile, y.data(), n);
      std::vector<uint16_t> rounded(x.size()), halves(x.size());
      table->to_bf16(n, y.data(), rounded.data());
      table->finish_tile_bf16(tile, halves.data(), n);
      if (activation == Activation::gelu) {
        check_rough(*table, x, halves);
      } else {
        CHECK(halves == rounded);
      }
      if (activation == Activation::none) {
        RawTile added = tile;
        added.residual = residual.data();
        std::vector<float> found(x.size()), sum = y;
        table->finish_tile(added, found.data(), n);
        table->add(n, residual.data(), sum.data());
        CHECK(found == sum);
      }
      tile.gate = {.numbers = bias.data(), .bias = x.data()};
      std::vector<float> gated(x.size()), product = y;
      table->finish_tile(tile, gated.data(), n);
      table->multiply(n, x.data(), product.data());
      CHECK(gated == product);
      for (size_t i = 0; i < x.size(); ++i) {
        const double expected = reference::activate(activation, x[i]);
        const double bound =
            3e-7 * std::min(1.0, std::abs(static_cast<double>(x[i]))) + 2.5e-7 * std::abs(expected);
        CHECK_MESSAGE(std::abs(y[i] - expected) <= bound + 1e-37, table->name, " activation ",
                      static_cast<int>(activation), " of ", x[i], " is ", y[i], ", expected ", expected);
      }
    }
  }
}

TEST_CASE("sums of integers are finished as the numbers they stand for, with the range of each row") {
  std::mt19937 random(4);
  constexpr int64_t kRows = 29, kStride = 128, kWidth = 144;
  for (const int64_t columns : {16, 64, 112, 128}) {
    const auto bias = normal_numbers(random, columns), scales = normal_numbers(random, columns, 0.01f);
    std::vector<int32_t> integers(kRows * kStride), sums(static_cast<size_t>(columns));
    for (int32_t& integer : integers) integer = static_cast<int32_t>(random() % 4001) - 2000;
    for (int32_t& sum : sums) sum = static_cast<int32_t>(random() % 401) - 200;
    const auto residual = normal_numbers(random, kRows * columns);
    std::vector<QuantizedRow> quantized;
    std::vector<float> numbers(integers.size());
    for (int64_t row = 0; row < kRows; ++row) {
      quantized.push_back({0.1f * static_cast<float>(1 + row), static_cast<int32_t>(random() % 256)});
      for (int64_t i = 0; i < columns; ++i) {
        const auto at = static_cast<size_t>(row * kStride + i), column = static_cast<size_t>(i);
        const double whole = integers[at] - double{1} * sums[column] * quantized.back().zero;
        numbers[at] = static_cast<float>(whole * scales[column] * quantized.back().scale);
      }
    }
    RawTile tile = {.rows = kRows,
                    .columns = columns,
                    .stride = kStride,
                    .layer = {.numbers = numbers.data(), .bias = bias.data()},
                    .gate = {.numbers = numbers.data(), .bias = bias.data()}};
    for (const Kernels* table : tables()) {
      for (const auto activation : {Activation::none, Activation::silu, Activation::gelu}) {
        std::vector<float> expected(kRows * kWidth, 7), found = expected, ranged = expected;
        std::vector<Range> ranges(2 * kRows, {7, 7});
        tile.activation = activation;
        table->finish_tile(tile, expected.data(), kWidth);
        RawTile of_integers = tile;
        for (RawColumns* raw : {&of_integers.layer, &of_integers.gate}) {
          raw->numbers = reinterpret_cast<const float*>(integers.data());
          raw->integers = {.scales = scales.data(), .sums = sums.data()};
        }
        of_integers.quantized = quantized.data();
        table->finish_tile(of_integers, found.data(), kWidth);
        if (activation == Activation::none) {
          RawTile alone = of_integers;
          alone.gate = {};
          std::vector<float> plain(found.size(), 7), added = plain;
          std::vector<uint16_t> halves(found.size(), 7), rounded = halves;
          table->finish_tile(alone, plain.data(), kWidth);
          table->finish_tile_bf16(alone, halves.data(), kWidth);
          alone.residual = residual.data();
          alone.residual_stride = columns;
          table->finish_tile(alone, added.data(), kWidth);
          for (int64_t row = 0; row < kRows; ++row) {
            const auto at = static_cast<size_t>(row * kWidth);
            table->to_bf16(columns, &plain[at], &rounded[at]);
            table->add(columns, &residual[static_cast<size_t>(row * columns)], &plain[at]);
          }
          CHECK(halves == rounded);
          CHECK(added == plain);
        }
        of_integers.ranges = ranges.data();
        of_integers.ranges_stride = 2;
        table->finish_tile(of_integers, ranged.data(), kWidth);
        double difference = 0, norm = 0;
        for (size_t i = 0; i < found.size(); ++i) {
          difference += std::pow(double{expected[i]} - found[i], 2);
          norm += double{expected[i]} * expected[i];
          if (activation != Activation::gelu) CHECK(found[i] == ranged[i]);
        }
        for (int64_t i = 0; activation == Activation::gelu && i < kRows * columns; ++i) {
          const int64_t row = i / columns, column = i % columns;
          const float x =
              numbers[static_cast<size_t>(row * kStride + column)] + bias[static_cast<size_t>(column)];
          const auto at = static_cast<size_t>(row * kWidth + column);
          const float rough = 1.1e-5f * std::max(4.4f, std::abs(x));
          CHECK(std::abs(found[at] - ranged[at]) <= rough * std::abs(x) + 1e-6f * std::abs(found[at]));
        }
        CHECK(std::sqrt(difference / norm) < 1e-6);
        for (int64_t row = 0; row < kRows; ++row) {
          const auto at = ranged.begin() + row * kWidth;
          const Range range = ranges[static_cast<size_t>(2 * row)];
          CHECK(range.low == std::min(0.0f, *std::min_element(at, at + columns)));
          CHECK(range.high == std::max(0.0f, *std::max_element(at, at + columns)));
          CHECK(ranges[static_cast<size_t>(2 * row + 1)].low == 7);
        }
      }
    }
  }
}

TEST_CASE("quantized numbers are within half a step, also where the range is symmetric") {
  std::mt19937 random(9);
  for (const Kernels* table : tables()) {
    for (const int64_t n : {2, 16, 37}) {
      for (int turn = 0; turn < 2000; ++turn) {
        auto x = normal_numbers(random, n);
        if (turn % 2 == 0) x.back() = -x.front();  // often the ends of the range, at -127.5 and 127.5 steps
        if (turn % 4 == 0) x = {-1.5f, 1.5f};
        const auto count = static_cast<int64_t>(x.size());
        std::vector<uint8_t> bytes(x.size() + 1, 7);
        const Range range = table->range_of(count, x.data());
        const QuantizedRow row = table->quantize(count, x.data(), range, bytes.data());
        CHECK(row.scale == doctest::Approx((range.high - range.low) / 255));
        for (size_t i = 0; i < x.size(); ++i) {
          const float value = row.scale * static_cast<float>(bytes[i] - row.zero);
          CHECK_MESSAGE(std::abs(value - x[i]) <= 0.5001f * row.scale, table->name, " ", x[i]);
        }
        CHECK(bytes.back() == 7);
      }
    }
  }
}

TEST_CASE("every kernel propagates NaN") {
  const float nan = std::nanf("");
  for (const Kernels* table : tables()) {
    for (auto activation : {Activation::gelu, Activation::gelu_tanh, Activation::relu, Activation::silu,
                            Activation::tanh, Activation::none}) {
      std::vector<float> x(16, nan), bias(16), y(16);
      table->finish_tile({.rows = 1,
                          .columns = 16,
                          .stride = 16,
                          .layer = {.numbers = x.data(), .bias = bias.data()},
                          .activation = activation},
                         y.data(), 16);
      CHECK_MESSAGE(std::isnan(y[3]), table->name, " activation ", static_cast<int>(activation));
    }
    std::vector<float> q(64, nan), out(64), scratch(static_cast<size_t>(attention_scratch(4, 16)));
    table->attend({.q = q.data(),
                   .q_stride = 16,
                   .rows = 1,
                   .k = q.data(),
                   .v = q.data(),
                   .kv_stride = 16,
                   .length = 4,
                   .size = 16,
                   .scale = 1,
                   .out = out.data(),
                   .out_stride = 16},
                  {}, scratch.data());
    CHECK(std::isnan(out[0]));
  }
}

TEST_CASE("layer normalization matches double precision for any width") {
  std::mt19937 random(2);
  for (const Kernels* table : tables()) {
    for (int64_t n : {1, 5, 16, 24, 31, 64, 312, 768, 1024}) {
      const auto x = normal_numbers(random, n, 3), gain = normal_numbers(random, n),
                 bias = normal_numbers(random, n);
      std::vector<float> y(static_cast<size_t>(n));
      table->layer_norm(n, x.data(), gain.data(), bias.data(), 1e-3f, y.data());
      const auto expected = reference::layer_norm({x.begin(), x.end()}, {gain.begin(), gain.end()},
                                                  {bias.begin(), bias.end()}, 1e-3f);
      CHECK_MESSAGE(relative_error(expected, y.data()) < 3e-7, table->name, " width ", n);
    }
  }
}

TEST_CASE("attention matches double precision for any length and head size") {
  std::mt19937 random(3);
  for (const Kernels* table : tables()) {
    for (int64_t length : {1, 2, 15, 16, 17, 50, 128, 200}) {
      for (int64_t size : {3, 8, 26, 32, 64}) {
        const int64_t stride = size + 5;
        const auto q = normal_numbers(random, length * stride), k = normal_numbers(random, length * stride),
                   v = normal_numbers(random, length * stride);
        std::vector<float> out(static_cast<size_t>(length * stride));
        std::vector<float> scratch(static_cast<size_t>(attention_scratch(length, size)));
        const float scale = 1 / std::sqrt(static_cast<float>(size));
        table->attend({.q = q.data(),
                       .q_stride = stride,
                       .rows = length,
                       .k = k.data(),
                       .v = v.data(),
                       .kv_stride = stride,
                       .length = length,
                       .size = size,
                       .scale = scale,
                       .out = out.data(),
                       .out_stride = stride},
                      {}, scratch.data());
        // The error is relative to Σ p·|v|, because the terms of the sum itself may cancel.
        auto values = matrix(v.data(), length, size, stride);
        const auto queries = matrix(q.data(), length, size, stride),
                   keys = matrix(k.data(), length, size, stride);
        const auto expected = reference::attend(queries, keys, values, scale);
        for (auto& row : values) {
          for (auto& value : row) value = std::abs(value);
        }
        const auto summed = reference::attend(queries, keys, values, scale);
        double worst = 0;
        for (int64_t row = 0; row < length; ++row) {
          for (int64_t d = 0; d < size; ++d) {
            const auto r = static_cast<size_t>(row), c = static_cast<size_t>(d);
            worst = std::max(
                worst, std::abs(out[static_cast<size_t>(row * stride + d)] - expected[r][c]) / summed[r][c]);
          }
        }
        CHECK_MESSAGE(worst < 2e-6, table->name, " length ", length, " size ", size, ": ", worst);
      }
    }
  }
}

TEST_CASE("transpose fills the columns beyond the matrix with zeros") {
  std::mt19937 random(4);
  for (const Kernels* table : tables()) {
    for (int64_t cols : {1, 15, 16, 24, 64}) {
      for (int64_t rows : {1, 2, 63, 64, 128}) {
        constexpr int64_t kStride = 128;
        const auto from = normal_numbers(random, rows * cols);
        std::vector<float> to(static_cast<size_t>(cols * kStride), 7);
        table->transpose(rows, cols, from.data(), cols, to.data(), kStride);
        bool same = true;
        for (int64_t i = 0; i < cols; ++i) {
          for (int64_t j = 0; j < kStride; ++j) {
            const float expected = j < rows ? from[static_cast<size_t>(j * cols + i)] : 0;
            same = same && to[static_cast<size_t>(i * kStride + j)] == expected;
          }
        }
        CHECK_MESSAGE(same, table->name, " rows ", rows, " columns ", cols);
      }
    }
  }
}

TEST_CASE("the best index is the first of the highest values, at any position") {
  std::mt19937 random(8);
  for (const Kernels* table : tables()) {
    for (const int64_t n : {1, 5, 511, 512, 513, 1100, 30522}) {
      for (const int64_t place : {int64_t{0}, n / 3, n / 2, n - 1}) {
        auto row = normal_numbers(random, n);
        row.resize(static_cast<size_t>(n + 63) / 64 * 64);
        row[static_cast<size_t>(place)] = row[static_cast<size_t>((place + n) / 2)] = 50;
        const auto result = table->softmax_gradient(n, row.data(), 0, 1);
        CHECK_MESSAGE(result.best == place, table->name, ", ", n, " numbers");
        CHECK(result.max == 50);
      }
      std::vector<float> none(static_cast<size_t>(n + 63) / 64 * 64, NAN);
      CHECK(table->softmax_gradient(n, none.data(), 0, 1).best == -1);
    }
  }
}

TEST_CASE("dot adds the products of any number of numbers") {
  std::mt19937 random(9);
  for (const Kernels* table : tables()) {
    for (int64_t n = 0; n < 300; ++n) {
      const auto x = normal_numbers(random, n), y = normal_numbers(random, n);
      double sum = 0, size = 0;
      for (size_t i = 0; i < x.size(); ++i) {
        sum += static_cast<double>(x[i]) * static_cast<double>(y[i]);
        size += std::abs(static_cast<double>(x[i]) * static_cast<double>(y[i]));
      }
      REQUIRE(std::abs(static_cast<double>(table->dot(n, x.data(), y.data())) - sum) <= 1e-6 * size);
    }
  }
}

TEST_CASE("dot_bytes adds the products of any number of bytes") {
  std::mt19937 random(10);
  for (const Kernels* table : tables()) {
    for (size_t n = 0; n < 300; ++n) {
      std::vector<uint8_t> x(n);
      std::vector<int8_t> y(n);
      int32_t sum = 0;
      for (size_t i = 0; i < n; ++i) {
        x[i] = n % 3 == 0 ? 255 : static_cast<uint8_t>(random());
        y[i] = n % 3 == 0 ? -128 : static_cast<int8_t>(random());
        sum += x[i] * y[i];
      }
      REQUIRE(table->dot_bytes(static_cast<int64_t>(n), x.data(), y.data()) == sum);
    }
  }
}

TEST_CASE("multiply_panel_i8 adds the products of any bytes and integers exactly") {
  std::mt19937 random(12);
  auto all = tables();
  all.push_back(&usable_kernels());
  for (const Kernels* table : all) {
    if (table->multiply_panel_i8 == nullptr) continue;
    const int64_t cols = table->name == std::string_view("AVX2") ? kPanelColumns<8> : kPanelColumns<16>;
    const int most = table == &usable_kernels() && has_exact_bytes() ? 127 : 63;
    for (const int64_t rows : {1, 2, 3, 4, 5, 6, 7, 11, 12, 13, 96}) {
      for (const int64_t depth : {4, 64, 128, 132, 320})
        CHECK_MESSAGE(exact_products(*table, cols, most, rows, depth, random), table->name, ", ", rows,
                      " rows of ", depth);
    }
  }
}

TEST_CASE("numbers are rounded to bf16 as from_f32 rounds them: ties, NaN and infinity, any count") {
  constexpr uint32_t kLeastNormal = 0x0080'0000;
  std::vector<float> x;
  for (uint64_t bits = 0; bits < (uint64_t{1} << 32); bits += 0x7ff1) {
    const auto pattern = static_cast<uint32_t>(bits);
    for (const uint32_t low : {0x0000u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu}) {
      const uint32_t number = (pattern & 0xffff0000u) | low;
      if ((number & 0x7fffffffu) < kLeastNormal) continue;  // some processors make them 0
      float value;
      std::memcpy(&value, &number, sizeof value);
      x.push_back(value);
    }
  }
  std::vector<uint16_t> expected(x.size()), found(x.size() + 1);
  from_f32(x, Dtype::bf16, reinterpret_cast<std::byte*>(expected.data()));
  for (const Kernels* table : tables()) {
    for (const size_t count : {x.size(), size_t{37}, size_t{3}}) {
      std::ranges::fill(found, uint16_t{0x1234});
      table->to_bf16(static_cast<int64_t>(count), x.data(), found.data());
      CHECK(std::equal(found.begin(), found.begin() + static_cast<int64_t>(count), expected.begin()));
      CHECK(found[count] == 0x1234);
    }
  }
}
