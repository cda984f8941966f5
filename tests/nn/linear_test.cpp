#include "nn/linear.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "nn/params.h"
#include "nn/tied_decoder.h"

using namespace bert;
using namespace bert::nn;

namespace {

void fill(std::mt19937& random, std::span<float> numbers) {
  std::normal_distribution<float> normal(0, 1);
  for (float& number : numbers) number = normal(random);
}

Tensor normal_tensor(std::mt19937& random, int64_t rows, int64_t cols) {
  Tensor tensor(rows, cols);
  for (int64_t row = 0; row < rows; ++row) fill(random, {tensor.row(row), static_cast<size_t>(cols)});
  return tensor;
}

// The error of numbers against double precision, relative to their norm.
class Distance {
 public:
  void add(double expected, double actual) {
    difference_ += (expected - actual) * (expected - actual);
    norm_ += expected * expected;
  }
  double relative() const { return std::sqrt(difference_ / norm_); }

 private:
  double difference_ = 0, norm_ = 0;
};

float rounded(float number) {
  std::byte bytes[2];
  from_f32({&number, 1}, Dtype::bf16, bytes);
  to_f32(Dtype::bf16, bytes, {&number, 1});
  return number;
}

struct Products {
  Layout layout;
  Linear linear;
  Params params, gradients;
  Weights weights;

  Products(std::mt19937& random, int64_t outputs, int64_t inputs, Dtype dtype = Dtype::f32)
      : linear("encoder.dense", outputs, inputs, layout),
        params(layout),
        gradients(layout),
        weights(params, dtype) {
    for (int i = 0; i < 2; ++i) fill(random, params.tensor(i)), fill(random, gradients.tensor(i));
  }
};

struct Shape {
  int64_t tokens, outputs, inputs;
};
const Shape kShapes[] = {{1, 1, 1},     {3, 24, 40},    {97, 96, 64},   {200, 130, 78},
                         {50, 64, 300}, {193, 257, 65}, {8, 768, 3072}, {700, 256, 256}};

std::vector<float> values(const Tensor& tensor) {
  std::vector<float> all;
  for (int64_t row = 0; row < tensor.rows(); ++row) {
    all.insert(all.end(), tensor.values(row).begin(), tensor.values(row).end());
  }
  return all;
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

}  // namespace

TEST_CASE("weight gradients match double precision and are accumulated") {
  std::mt19937 random(11);
  for (const auto& shape : kShapes) {
    const int64_t tokens = shape.tokens, outputs = shape.outputs, inputs = shape.inputs;
    CAPTURE(tokens);
    CAPTURE(outputs);
    CAPTURE(inputs);
    Pool pool(2);
    Context context(pool);
    Products p(random, outputs, inputs);
    const Tensor x = normal_tensor(random, tokens, inputs), dy = normal_tensor(random, tokens, 64 + outputs);
    const std::vector<float> before(p.gradients.all().begin(), p.gradients.all().end());
    p.linear.backward_weights(context, p.weights, x, dy, 64, p.gradients);
    Distance weight, bias;
    for (int64_t n = 0; n < outputs; ++n) {
      double sum = before[p.gradients.start(1) + static_cast<size_t>(n)];
      for (int64_t m = 0; m < tokens; ++m) sum += dy.row(m)[64 + n];
      bias.add(sum, p.gradients.tensor(1)[static_cast<size_t>(n)]);
      for (int64_t k = 0; k < inputs; k += 1 + inputs / 100) {
        const auto place = static_cast<size_t>(n * inputs + k);
        sum = before[place];
        for (int64_t m = 0; m < tokens; ++m) sum += static_cast<double>(dy.row(m)[64 + n]) * x.row(m)[k];
        weight.add(sum, p.gradients.tensor(0)[place]);
      }
    }
    CHECK(weight.relative() < 5e-7);
    CHECK(bias.relative() < 5e-7);
  }
}

TEST_CASE("gradients written to cleared memory have the same bits as gradients added to zeros") {
  std::mt19937 random(15);
  for (const auto& shape : kShapes) {
    const int64_t tokens = shape.tokens, outputs = shape.outputs, inputs = shape.inputs;
    CAPTURE(tokens);
    CAPTURE(outputs);
    CAPTURE(inputs);
    Pool pool(2);
    Context context(pool);
    Products p(random, outputs, inputs);
    const Tensor x = normal_tensor(random, tokens, inputs), dy = normal_tensor(random, tokens, outputs);
    Params zeros(p.layout);
    p.gradients.clear();
    for (Params* gradients : {&p.gradients, &zeros}) {
      p.linear.backward_weights(context, p.weights, x, dy, 0, *gradients);
      p.linear.backward_weights(context, p.weights, x, dy, 0, *gradients);
    }
    CHECK(std::ranges::equal(p.gradients.all(), zeros.all()));
    p.gradients.clear();
    p.gradients.settle(pool);
    CHECK(std::ranges::all_of(p.gradients.all(), [](float number) { return number == 0; }));
  }
}

TEST_CASE("input gradients match double precision") {
  std::mt19937 random(12);
  for (const auto& shape : kShapes) {
    const int64_t tokens = shape.tokens, outputs = shape.outputs, inputs = shape.inputs;
    CAPTURE(tokens);
    CAPTURE(outputs);
    CAPTURE(inputs);
    Pool pool(2);
    Context context(pool);
    Products p(random, outputs, inputs);
    const Tensor dy = normal_tensor(random, tokens, 64 + outputs);
    Tensor dx, sum = normal_tensor(random, tokens, inputs);
    const auto before = values(sum);
    p.linear.backward_input(context, p.weights, dy, 64, Into::replace, dx);
    p.linear.backward_input(context, p.weights, dy, 64, Into::add, sum);
    Distance replaced, added;
    for (int64_t m = 0; m < tokens; m += 1 + tokens / 20) {
      for (int64_t k = 0; k < inputs; ++k) {
        double expected = 0;
        for (int64_t n = 0; n < outputs; ++n) {
          expected += static_cast<double>(dy.row(m)[64 + n]) *
                      p.params.tensor(0)[static_cast<size_t>(n * inputs + k)];
        }
        replaced.add(expected, dx.row(m)[k]);
        added.add(expected + before[static_cast<size_t>(m * inputs + k)], sum.row(m)[k]);
      }
    }
    CHECK(replaced.relative() < 5e-7);
    CHECK(added.relative() < 5e-7);
  }
}

TEST_CASE("bf16 outputs and gradients use rounded factors, except for the bias gradient") {
  if (!has_bf16()) {
    MESSAGE("skipped: this processor does not multiply bf16");
    return;
  }
  std::mt19937 random(16);
  for (const auto& shape : kShapes) {
    const int64_t tokens = shape.tokens, outputs = shape.outputs, inputs = shape.inputs;
    CAPTURE(tokens);
    CAPTURE(outputs);
    CAPTURE(inputs);
    Pool pool(2);
    Context context(pool);
    Products p(random, outputs, inputs, Dtype::bf16);
    p.weights.refresh(context);
    const Tensor x = normal_tensor(random, tokens, inputs), dy = normal_tensor(random, tokens, 64 + outputs);
    const auto w = [&](int64_t n, int64_t k) {
      return static_cast<double>(rounded(p.params.tensor(0)[static_cast<size_t>(n * inputs + k)]));
    };
    Tensor y, dx, sum = normal_tensor(random, tokens, inputs);
    const auto before = values(sum);
    const std::vector<float> gradients(p.gradients.all().begin(), p.gradients.all().end());
    p.linear.forward(context, p.weights, x, Activation::none, y);
    p.linear.backward_input(context, p.weights, dy, 64, Into::replace, dx);
    p.linear.backward_input(context, p.weights, dy, 64, Into::add, sum);
    p.linear.backward_weights(context, p.weights, x, dy, 64, p.gradients);
    Distance output, replaced, added, weight, bias;
    for (int64_t m = 0; m < tokens; m += 1 + tokens / 20) {
      for (int64_t n = 0; n < outputs; ++n) {
        double expected = p.params.tensor(1)[static_cast<size_t>(n)];
        for (int64_t k = 0; k < inputs; ++k) expected += rounded(x.row(m)[k]) * w(n, k);
        output.add(expected, y.row(m)[n]);
      }
      for (int64_t k = 0; k < inputs; ++k) {
        double expected = 0;
        for (int64_t n = 0; n < outputs; ++n) expected += rounded(dy.row(m)[64 + n]) * w(n, k);
        replaced.add(expected, dx.row(m)[k]);
        added.add(expected + before[static_cast<size_t>(m * inputs + k)], sum.row(m)[k]);
      }
    }
    for (int64_t n = 0; n < outputs; ++n) {
      double expected = gradients[p.gradients.start(1) + static_cast<size_t>(n)];
      for (int64_t m = 0; m < tokens; ++m) expected += dy.row(m)[64 + n];
      bias.add(expected, p.gradients.tensor(1)[static_cast<size_t>(n)]);
      for (int64_t k = 0; k < inputs; k += 1 + inputs / 100) {
        const auto place = static_cast<size_t>(n * inputs + k);
        expected = gradients[place];
        for (int64_t m = 0; m < tokens; ++m) {
          expected += static_cast<double>(rounded(dy.row(m)[64 + n])) * rounded(x.row(m)[k]);
        }
        weight.add(expected, p.gradients.tensor(0)[place]);
      }
    }
    CHECK(output.relative() < 5e-7);
    CHECK(replaced.relative() < 5e-7);
    CHECK(added.relative() < 5e-7);
    CHECK(weight.relative() < 5e-7);
    CHECK(bias.relative() < 5e-7);
  }
}

TEST_CASE("a layer between two others has the bits of each on its own, with and without a gate") {
  std::mt19937 random(17);
  struct Sizes {
    int64_t tokens, inputs, inner, outputs;
  };
  for (const Dtype dtype : {Dtype::f32, Dtype::bf16}) {
    if (dtype == Dtype::bf16 && !has_bf16()) continue;
    // GELU is computed in another way if it is rounded.
    const Activation activation = dtype == Dtype::bf16 ? Activation::silu : Activation::gelu;
    // One block and several, whole tiles, and others that take the common way.
    for (const Sizes sizes : {Sizes{1, 64, 256, 64}, Sizes{5, 40, 1536, 24}, Sizes{200, 768, 3072, 96},
                              Sizes{97, 78, 1000, 130}, Sizes{13, 64, 800, 64}}) {
      for (int threads : {1, 3}) {
        CAPTURE(sizes.tokens);
        CAPTURE(sizes.inner);
        Pool pool(threads);
        Context context(pool);
        Layout layout;
        const Linear first("encoder.first", sizes.inner, sizes.inputs, layout),
            gate("encoder.gate", sizes.inner, sizes.inputs, layout),
            next("encoder.next", sizes.outputs, sizes.inner, layout);
        Params params(layout);
        for (int i = 0; i < 6; ++i) fill(random, params.tensor(i));
        Weights weights(params, dtype);
        weights.refresh(context);
        const Tensor x = normal_tensor(random, sizes.tokens, sizes.inputs);
        Tensor u, factor, y, expected;
        first.forward(context, weights, x, Activation::none, u);
        gate.forward(context, weights, x, Activation::none, factor);
        for (const bool gated : {false, true}) {
          first.forward(context, weights, x, activation, y);
          for (int64_t row = 0; gated && row < y.rows(); ++row) {
            for (int64_t i = 0; i < y.cols(); ++i) y.row(row)[i] *= factor.row(row)[i];
          }
          next.forward(context, weights, y, Activation::none, expected);
          Tensor memory, z, its_u, its_factor;
          const Tensor residual = normal_tensor(random, sizes.tokens, sizes.outputs);
          Tensor sum;
          sum.copy(expected);
          for (int64_t row = 0; row < sum.rows(); ++row)
            context.kernels().add(sum.cols(), residual.row(row), sum.row(row));
          next.forward(context, weights, y, &residual, z);
          CHECK(same_bits(values(z), values(sum)));
          Linear::Inner inner = {.activation = activation, .gate = gated ? &gate : nullptr};
          first.forward(context, weights, x, inner, memory);
          CHECK(same_bits(values(memory), values(y)));
          first.forward(context, weights, x, inner, next, nullptr, memory, z);
          CHECK(same_bits(values(z), values(expected)));
          first.forward(context, weights, x, inner, next, &residual, memory, z);
          CHECK(same_bits(values(z), values(sum)));
          inner.u = &its_u;
          if (gated) inner.factor = &its_factor;
          first.forward(context, weights, x, inner, next, nullptr, memory, z);
          CHECK(same_bits(values(z), values(expected)));
          CHECK(same_bits(values(its_u), values(u)));
          if (gated) CHECK(same_bits(values(its_factor), values(factor)));
        }
      }
    }
  }
}

TEST_CASE(
    "in int8, a layer between two others has the bits of each on its own, with the ranges of all tiles") {
  std::mt19937 random(18);
  Pool pool(2);
  Context context(pool);
  for (const int64_t width : {20, 64, 800, 3072}) {
    CAPTURE(width);
    Layout layout;
    const Linear first("encoder.first", width, 40, layout), gate("encoder.gate", width, 40, layout),
        next("encoder.next", 24, width, layout);
    Params params(layout);
    const auto& entries = layout.entries();
    for (int i = 0; i < std::ssize(entries); ++i) fill(random, params.tensor(i));
    const auto find = [&](const LayoutEntry& entry) {
      const auto place = std::ranges::find(entries, entry.name, &LayoutEntry::name) - entries.begin();
      return Stored{.data = std::as_bytes(params.tensor(static_cast<int>(place))).data()};
    };
    const Weights weights(layout, {.find = find, .release = [](std::span<const std::byte>) {}}, context,
                          Dtype::i8);
    REQUIRE(first.dtype(weights) == Dtype::i8);
    const Tensor x = normal_tensor(random, 101, 40);
    for (const bool gated : {false, true}) {
      const Linear::Inner inner = {.activation = Activation::silu, .gate = gated ? &gate : nullptr};
      Tensor y, expected, memory, z;
      first.forward(context, weights, x, inner, y);
      next.forward(context, weights, y, Activation::none, expected);
      first.forward(context, weights, x, inner, next, nullptr, memory, z);
      CHECK(same_bits(values(z), values(expected)));
      const Tensor residual = normal_tensor(random, 101, 24);
      for (int64_t row = 0; row < expected.rows(); ++row)
        context.kernels().add(24, residual.row(row), expected.row(row));
      first.forward(context, weights, x, inner, next, &residual, memory, z);
      CHECK(same_bits(values(z), values(expected)));
    }
  }
}

// In bf16, with factors of the forward product that are not changed by rounding.
TEST_CASE("the vocabulary loss and its gradients match double precision") {
  for (const Dtype dtype : {Dtype::f32, Dtype::bf16}) {
    if (dtype == Dtype::bf16 && !has_bf16()) continue;
    CAPTURE(name_of(dtype));
    std::mt19937 random(13);
    struct Case {
      int64_t rows, vocab, hidden;
    };
    for (const auto& shape :
         {Case{1, 7, 24}, Case{5, 150, 40}, Case{40, 2100, 64}, Case{230, 65000, 16}, Case{97, 1024, 65}}) {
      const int64_t rows = shape.rows, vocab = shape.vocab, hidden = shape.hidden;
      CAPTURE(rows);
      CAPTURE(vocab);
      CAPTURE(hidden);
      Pool pool(2);
      Context context(pool);
      Layout layout;
      const int words = layout.add_plain("words", {vocab, hidden});
      const TiedDecoder decoder("bias", vocab, hidden, layout);
      Params params(layout), gradients(layout);
      for (int i : {words, words + 1}) fill(random, params.tensor(i)), fill(random, gradients.tensor(i));
      gradients.clear();
      for (float& number : params.tensor(words)) number /= std::sqrt(static_cast<float>(hidden));
      const Weights weights(params, dtype);
      Tensor x = normal_tensor(random, rows, hidden);
      if (dtype == Dtype::bf16) {
        for (float& number : params.tensor(words)) number = rounded(number);
        for (int64_t r = 0; r < rows; ++r)
          for (int64_t h = 0; h < hidden; ++h) x.row(r)[h] = rounded(x.row(r)[h]);
      }
      std::vector<int32_t> gold;
      for (int64_t r = 0; r < rows; ++r) gold.push_back(static_cast<int32_t>(random() % vocab));
      constexpr float kWeight = 0.25f;
      Tensor dx;
      const TiedDecoder::Gradient gradient = {
          .weight = kWeight, .words = gradients.target(words), .gradients = gradients, .dx = dx};
      Tensor workspace;
      const auto loss = decoder.loss(context, weights, params.tensor(words), x, gold, &gradient, workspace);

      const auto word = params.tensor(words), bias = params.tensor(words + 1);
      std::vector<double> dwords(word.size()), dbias(bias.size());
      double expected_loss = 0;
      int64_t correct = 0;
      Distance dx_distance, dwords_distance, dbias_distance;
      for (int64_t r = 0; r < rows; ++r) {
        std::vector<double> p(bias.size());
        double sum = 0;
        for (size_t v = 0; v < p.size(); ++v) {
          double logit = bias[v];
          for (int64_t h = 0; h < hidden; ++h) {
            logit += static_cast<double>(x.row(r)[h]) *
                     word[v * static_cast<size_t>(hidden) + static_cast<size_t>(h)];
          }
          sum += p[v] = std::exp(logit);
        }
        const auto right = static_cast<size_t>(gold[static_cast<size_t>(r)]);
        expected_loss -= std::log(p[right] / sum);
        correct += std::ranges::max_element(p) - p.begin() == static_cast<std::ptrdiff_t>(right);
        std::vector<double> expected_dx(static_cast<size_t>(hidden));
        for (size_t v = 0; v < p.size(); ++v) {
          const double d = kWeight * (p[v] / sum - (v == right));
          dbias[v] += d;
          for (size_t h = 0; h < expected_dx.size(); ++h) {
            expected_dx[h] += d * word[v * expected_dx.size() + h];
            dwords[v * expected_dx.size() + h] += d * x.row(r)[h];
          }
        }
        for (size_t h = 0; h < expected_dx.size(); ++h) dx_distance.add(expected_dx[h], dx.row(r)[h]);
      }
      for (size_t i = 0; i < dwords.size(); ++i) dwords_distance.add(dwords[i], gradients.tensor(words)[i]);
      for (size_t i = 0; i < dbias.size(); ++i) dbias_distance.add(dbias[i], gradients.tensor(words + 1)[i]);
      CHECK(loss.sum == doctest::Approx(expected_loss).epsilon(1e-6));
      CHECK(loss.correct == correct);
      CHECK(loss.count == rows);
      const double bound = dtype == Dtype::bf16 ? 3e-3 : 2e-6;  // the gradient of the logits is rounded
      CHECK(dx_distance.relative() < bound);
      CHECK(dwords_distance.relative() < bound);
      CHECK(dbias_distance.relative() < 2e-6);
    }
  }
}

TEST_CASE("batches without rows have no gradients") {
  for (const Dtype dtype : {Dtype::f32, Dtype::bf16}) {
    if (dtype == Dtype::bf16 && !has_bf16()) continue;
    std::mt19937 random(15);
    Pool pool(2);
    Context context(pool);
    Products p(random, 70, 40, dtype);
    p.weights.refresh(context);
    p.gradients.clear();
    Tensor dx(3, 40);
    const Tensor x(0, 40), dy(0, 70);
    p.linear.backward_input(context, p.weights, dy, 0, Into::replace, dx);
    CHECK(dx.rows() == 0);
    p.linear.backward_weights(context, p.weights, x, dy, 0, p.gradients);
  }
}

TEST_CASE("gradients do not depend on what other products left in memory") {
  if (!has_bf16()) return;
  std::vector<std::vector<float>> results;
  for (const bool is_first : {true, false}) {
    std::mt19937 random(16);
    Pool pool(2);
    Context context(pool);
    Products p(random, 70, 40, Dtype::bf16);
    const Tensor x = normal_tensor(random, 37, 40), dy = normal_tensor(random, 37, 70);
    if (!is_first) {
      Tensor bad_x(64, 40), bad_dy(64, 70);
      for (int64_t row = 0; row < 64; ++row) {
        std::fill_n(bad_x.row(row), 40, std::numeric_limits<float>::quiet_NaN());
        std::fill_n(bad_dy.row(row), 70, std::numeric_limits<float>::quiet_NaN());
      }
      p.linear.backward_weights(context, p.weights, bad_x, bad_dy, 0, p.gradients);
    }
    p.gradients.clear();
    p.linear.backward_weights(context, p.weights, x, dy, 0, p.gradients);
    results.emplace_back(p.gradients.tensor(0).begin(), p.gradients.tensor(0).end());
  }
  CHECK(same_bits(results[0], results[1]));
}

TEST_CASE("gradients are bitwise equal for any number of threads") {
  for (const Dtype dtype : {Dtype::f32, Dtype::bf16}) {
    if (dtype == Dtype::bf16 && !has_bf16()) continue;
    std::vector<std::vector<float>> results;
    for (int threads : {1, 2, 5}) {
      std::mt19937 random(14);
      Pool pool(threads);
      Context context(pool);
      Products p(random, 400, 330, dtype);
      p.weights.refresh(context);
      const Tensor x = normal_tensor(random, 210, 330), dy = normal_tensor(random, 210, 400);
      Tensor dx;
      p.linear.backward_weights(context, p.weights, x, dy, 0, p.gradients);
      p.linear.backward_input(context, p.weights, dy, 0, Into::replace, dx);
      std::vector<float> all(p.gradients.all().begin(), p.gradients.all().end());
      const auto inputs = values(dx);
      all.insert(all.end(), inputs.begin(), inputs.end());
      results.push_back(std::move(all));
    }
    CHECK(same_bits(results[0], results[1]));
    CHECK(same_bits(results[0], results[2]));
  }
}
