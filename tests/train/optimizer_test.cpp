#include "train/optimizer.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <random>
#include <string>

#include "base/error.h"
#include "nn/tables.h"
#include "reference/slow_optimizer.h"
#include "train/schedule.h"

using namespace bert;
using train::Method;
using train::Moment;
using train::Optimizer;

namespace {

struct NamedTensor {
  std::string name;
  std::vector<int64_t> shape;
  bool decayed;
};

const std::vector<NamedTensor> kTensors = {
    {"embeddings.word_embeddings.weight", {31, 24}, true},
    {"embeddings.position_embeddings.weight", {8, 24}, true},
    {"embeddings.LayerNorm.weight", {24}, false},
    {"embeddings.LayerNorm.bias", {24}, false},
    {"encoder.layer.0.attention.self.query.weight", {24, 24}, true},
    {"encoder.layer.0.attention.self.query.bias", {24}, false},
    {"cls.predictions.transform.LayerNorm.weight", {24}, false},
    {"cls.predictions.bias", {31}, false},
    {"cls.seq_relationship.weight", {2, 24}, true},
};

nn::Layout layout_of(const std::vector<NamedTensor>& tensors) {
  nn::Layout layout;
  for (const auto& tensor : tensors) layout.add_plain(tensor.name, tensor.shape);
  return layout;
}

std::span<float> tensor(nn::Params& params, size_t place) { return params.tensor(static_cast<int>(place)); }

void fill_normal(nn::Params& params, std::mt19937& random, float deviation) {
  std::normal_distribution<float> normal(0, deviation);
  for (size_t place = 0; place < params.layout().entries().size(); ++place) {
    for (float& number : tensor(params, place)) number = normal(random);
  }
}

// Gradients like those of a network: each number has its own magnitude, 1e-6 to 100; most rows of the word
// table are zero in most steps; the last tensor has a gradient in the first step only.
class Gradients {
 public:
  explicit Gradients(const nn::Layout& layout) : magnitudes_(layout), now(layout) {
    std::uniform_real_distribution<float> exponent(-6, 2);
    for (float& magnitude : magnitudes_.all()) magnitude = std::pow(10.0f, exponent(random_));
  }
  void next() {
    std::normal_distribution<float> normal;
    const size_t last = now.layout().entries().size() - 1;
    for (size_t place = 0; place <= last; ++place) {
      const auto values = tensor(now, place), magnitudes = tensor(magnitudes_, place);
      for (size_t i = 0; i < values.size(); ++i) values[i] = magnitudes[i] * normal(random_);
      for (size_t row = 0; place == 0 && row + 24 <= values.size(); row += 24) {
        if (random_() % 8 != 0) std::ranges::fill(values.subspan(row, 24), 0.0f);
      }
      if (place == last && steps_ > 0) std::ranges::fill(values, 0.0f);
    }
    ++steps_;
  }

 private:
  std::mt19937 random_{7};
  nn::Params magnitudes_;
  int steps_ = 0;

 public:
  nn::Params now;
};

std::vector<double> widened(std::span<const float> numbers, double scale = 1) {
  std::vector<double> wide;
  for (const float number : numbers) wide.push_back(scale * static_cast<double>(number));
  return wide;
}

reference::Adam twin_of(Method method, bool decayed) {
  return {.epsilon = method == Method::adamw ? 1e-8 : 1e-6,
          .decay = decayed ? 0.01 : 0,
          .bias_correction = method != Method::google,
          .trust_ratio = method == Method::lamb && decayed};
}

// The largest |a - b| over the largest |b|.
double relative_error(std::span<const float> a, const std::vector<double>& b) {
  double error = 0, largest = 1e-30;
  for (size_t i = 0; i < b.size(); ++i) {
    error = std::max(error, std::abs(static_cast<double>(a[i]) - b[i]));
    largest = std::max(largest, std::abs(b[i]));
  }
  return error / largest;
}

bool same_bits(std::span<const float> a, std::span<const float> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

// A run at a constant rate with fixed initial parameters and gradients.
struct Run {
  nn::Params params;
  Optimizer optimizer;
  Gradients gradients;

  Run(const nn::Layout& layout, Method method)
      : params(layout), optimizer(layout, {.method = method}), gradients(layout) {
    std::mt19937 random(3);
    fill_normal(params, random, 0.02f);
  }
  void steps(int count, nn::Context& context) {
    for (int i = 0; i < count; ++i) {
      gradients.next();
      optimizer.step(params, gradients.now, 1e-3, 0.7, context);
    }
  }
  std::span<float> moments(Moment moment) { return optimizer.state().moments.all(moment); }
  std::vector<float> moment(Moment moment, size_t place) {
    std::vector<float> numbers(tensor(params, place).size());
    optimizer.state().moments.read(moment, static_cast<int>(place), numbers);
    return numbers;
  }
};

}  // namespace

// Errors are relative to the largest number of a tensor. One rounding is at most 6e-8. The 1000 roundings of
// p, in random directions, add up to about thirty times that, as do those of v, which averages over 1000
// steps; m averages over 10. With β2 itself in f32, v would be off by 1.3e-5.
TEST_CASE("every optimizer follows its published formula for 1000 steps with every kernel table") {
  constexpr int64_t kSteps = 1000;
  const auto layout = layout_of(kTensors);
  const train::Schedule schedule({.peak = 1e-3, .warmup = {.steps = 100}}, kSteps);
  Pool pool(1);
  for (const auto& [name, method] : train::kMethods) {
    for (const auto* kernels : nn::tables()) {
      nn::Context context(pool, *kernels);
      Run run(layout, method);
      std::vector<reference::SlowTensor> twins;
      for (size_t i = 0; i < kTensors.size(); ++i) twins.emplace_back(widened(tensor(run.params, i)));
      for (int64_t step = 0; step < kSteps; ++step) {
        const double rate = schedule.rate(step), scale = step % 3 == 0 ? 0.25 : 1;
        run.gradients.next();
        run.optimizer.step(run.params, run.gradients.now, rate, scale, context);
        for (size_t i = 0; i < kTensors.size(); ++i) {
          twins[i].step(twin_of(method, kTensors[i].decayed), rate,
                        widened(tensor(run.gradients.now, i), scale));
        }
      }
      CHECK(run.optimizer.state().steps == kSteps);
      for (size_t i = 0; i < kTensors.size(); ++i) {
        const double p = relative_error(tensor(run.params, i), twins[i].p);
        const double m = relative_error(run.moment(Moment::m, i), twins[i].m);
        const double v = relative_error(run.moment(Moment::v, i), twins[i].v);
        const std::string where = std::string(kernels->name) + ", method " +
                                  std::to_string(static_cast<int>(method)) + ", " + kTensors[i].name;
        CHECK_MESSAGE(p < 5e-6, where, ": p is off by ", p);
        CHECK_MESSAGE(m < 5e-7, where, ": m is off by ", m);
        CHECK_MESSAGE(v < 2e-6, where, ": v is off by ", v);
      }
    }
  }
}

// Computed with torch.optim.AdamW (PyTorch 1.13) in float64. Number i of six, the first three with decay
// 0.01, has the gradient 10^(1-2i)·(sin(0.7t + i) + 0.1·cos(0.01t)) in step t = 1, 2, ...; rate 1e-3. This
// checks the float64 reference that the other tests compare with.
TEST_CASE("the reference AdamW matches PyTorch's") {
  struct Case {
    double epsilon, beta2;
    int steps;
    std::vector<double> expected;
  };
  const std::vector<double> start = {0.5, -0.25, 0.02, 1.0, 0.0, -0.03};
  const Case cases[] = {{1e-8,
                         0.999,
                         10,
                         {0.494932293428514, -0.253092149282322, 0.0201547916177071, 1.00367094669429,
                          0.00138954350398375, -0.030161271405468}},
                        {1e-8,
                         0.999,
                         1000,
                         {0.495930410648463, -0.244225254078682, 0.0273249526051302, 1.0117995203409,
                          0.00815221938173008, -0.0297356205056953}},
                        {1e-6,
                         0.98,
                         1000,
                         {0.495826361705476, -0.244317368158433, 0.0272611147011546, 1.01020498800673,
                          0.000619952128146658, -0.0299971869260519}}};
  for (const auto& one : cases) {
    for (size_t i = 0; i < start.size(); ++i) {
      const auto place = static_cast<double>(i);
      reference::SlowTensor twin({start[i]});
      for (int t = 1; t <= one.steps; ++t) {
        twin.step({.beta2 = one.beta2, .epsilon = one.epsilon, .decay = i < 3 ? 0.01 : 0}, 1e-3,
                  {std::pow(10.0, 1 - 2 * place) * (std::sin(0.7 * t + place) + 0.1 * std::cos(0.01 * t))});
      }
      CHECK_MESSAGE(std::abs(twin.p[0] - one.expected[i]) < 1e-13, "number ", i, " after ", one.steps);
    }
  }
}

TEST_CASE("the first step of each optimizer matches its formula") {
  const auto layout = layout_of({{"dense.weight", {1, 2}, true}});
  Pool pool(1);
  nn::Context context(pool);
  nn::Params gradients(layout);
  tensor(gradients, 0)[0] = 0.3f;
  tensor(gradients, 0)[1] = -4;
  const auto stepped = [&](Method method) {
    nn::Params params(layout);
    tensor(params, 0)[0] = 3;
    tensor(params, 0)[1] = 4;
    Optimizer(layout, {.method = method}).step(params, gradients, 0.1, 1, context);
    return widened(tensor(params, 0));
  };
  const auto adamw = stepped(Method::adamw);  // the bias-corrected direction is the sign
  CHECK(adamw[0] == doctest::Approx(3 - 0.1 * (1 + 0.03)).epsilon(1e-6));
  CHECK(adamw[1] == doctest::Approx(4 - 0.1 * (-1 + 0.04)).epsilon(1e-6));
  const auto google = stepped(Method::google);  // 0.1 / √0.001
  CHECK(google[0] == doctest::Approx(3 - 0.1 * (3.162277 + 0.03)).epsilon(1e-5));
  CHECK(google[1] == doctest::Approx(4 - 0.1 * (-3.162277 + 0.04)).epsilon(1e-5));
  const auto lamb = stepped(Method::lamb);  // the step has length 0.1·‖p‖ = 0.5
  CHECK(std::hypot(lamb[0] - 3, lamb[1] - 4) == doctest::Approx(0.5).epsilon(1e-6));
  CHECK((lamb[0] - 3) / (lamb[1] - 4) == doctest::Approx(1.03 / -0.96).epsilon(1e-5));
}

TEST_CASE("weight decay is selected by tensor name") {
  for (const auto& tensor : kTensors)
    CHECK_MESSAGE(train::decays(tensor.name) == tensor.decayed, tensor.name);
  CHECK(train::decays("cls.predictions.transform.dense.weight"));
  CHECK(train::decays("bert.embeddings.token_type_embeddings.weight"));
  CHECK_FALSE(train::decays("cls.predictions.transform.dense.bias"));
  CHECK_FALSE(train::decays("bert/encoder/layer_norm/gamma"));
  CHECK_FALSE(train::decays("cls/predictions/output_bias"));
  CHECK_FALSE(train::decays("bert.embeddings.LayerNorm.weight"));
  CHECK_FALSE(train::decays("layer_weights"));
  CHECK_FALSE(train::decays("layer_gamma"));
  CHECK_FALSE(train::decays("query_table.weight"));
}

// The first step of Adam moves each number by the learning rate.
TEST_CASE("the table of queries learns at 50 times the rate") {
  const auto layout = layout_of({{"cls.predictions.bias", {31}, false}, {"query_table.weight", {31}, false}});
  Pool pool(1);
  nn::Context context(pool);
  nn::Params params(layout), gradients(layout);
  std::ranges::fill(gradients.all(), 1.0f);
  Optimizer(layout, {.method = Method::adamw}).step(params, gradients, 0.25, 1, context);
  CHECK(tensor(params, 0)[7] == doctest::Approx(-0.25));
  CHECK(tensor(params, 1)[7] == doctest::Approx(-12.5));
}

TEST_CASE("without gradients only decayed tensors shrink") {
  const auto layout = layout_of(kTensors);
  Pool pool(1);
  nn::Context context(pool);
  for (const Method method : {Method::adamw, Method::google}) {
    nn::Params params(layout);
    const nn::Params none(layout);
    std::ranges::fill(params.all(), 1.0f);
    Optimizer optimizer(layout, {.method = method, .weight_decay = 0.5});
    optimizer.step(params, none, 0.25, 1, context);
    for (size_t i = 0; i < kTensors.size(); ++i) {
      const float expected = kTensors[i].decayed ? 0.875f : 1.0f;
      CHECK_MESSAGE(std::ranges::all_of(tensor(params, i), [=](float x) { return x == expected; }),
                    kTensors[i].name);
    }
  }
}

// One tensor is processed in several parts by several threads, another ends within a part.
TEST_CASE("results are bitwise equal for any number of threads, with every kernel table") {
  const auto layout =
      layout_of({{"a.weight", {300, 701}, true}, {"a.bias", {300}, false}, {"b.weight", {7, 9}, true}});
  for (const auto& [name, method] : train::kMethods) {
    for (const auto* kernels : nn::tables()) {
      Pool one(1);
      nn::Context alone(one, *kernels);
      Run expected(layout, method);
      expected.steps(4, alone);
      for (const int threads : {2, 3}) {
        Pool pool(threads);
        nn::Context context(pool, *kernels);
        Run run(layout, method);
        run.steps(4, context);
        CHECK_MESSAGE(same_bits(run.params.all(), expected.params.all()), std::string(kernels->name), " ",
                      threads, " threads");
        CHECK(same_bits(run.moments(Moment::m), expected.moments(Moment::m)));
        CHECK(same_bits(run.moments(Moment::v), expected.moments(Moment::v)));
      }
    }
  }
}

TEST_CASE("LAMB's norms cover the whole tensor, even if it is processed in parts") {
  const auto layout = layout_of({{"a.weight", {300, 701}, true}});
  Pool pool(2);
  nn::Context context(pool);
  Run run(layout, Method::lamb);
  reference::SlowTensor twin(widened(tensor(run.params, 0)));
  for (int i = 0; i < 5; ++i) {
    run.steps(1, context);
    twin.step(twin_of(Method::lamb, true), 1e-3, widened(tensor(run.gradients.now, 0), 0.7));
  }
  CHECK(relative_error(tensor(run.params, 0), twin.p) < 1e-6);
}

TEST_CASE("10 steps and 10 more from the saved state equal 20 steps bit for bit") {
  const auto layout = layout_of(kTensors);
  Pool pool(2);
  nn::Context context(pool);
  for (const auto& [name, method] : train::kMethods) {
    Run whole(layout, method), first(layout, method), second(layout, method);
    whole.steps(20, context);
    first.steps(10, context);
    for (int i = 0; i < 10; ++i) second.gradients.next();
    std::ranges::copy(first.params.all(), second.params.all().begin());
    for (const Moment moment : {Moment::m, Moment::v})
      std::ranges::copy(first.moments(moment), second.moments(moment).begin());
    second.optimizer.state().steps = first.optimizer.state().steps;
    second.steps(10, context);
    CHECK(same_bits(second.params.all(), whole.params.all()));
    CHECK(second.optimizer.state().steps == 20);
  }
}

TEST_CASE("padding between tensors remains zero") {
  const auto layout = layout_of(kTensors);
  Pool pool(1);
  nn::Context context(pool);
  for (const auto& [name, method] : train::kMethods) {
    Run run(layout, method);
    run.steps(3, context);
    // One owner has all slices, so the moments are placed like the parameters.
    for (const auto numbers : {run.params.all(), run.moments(Moment::m), run.moments(Moment::v)}) {
      REQUIRE(numbers.size() == run.params.all().size());
      for (size_t i = 0; i < kTensors.size(); ++i) {
        const size_t start = run.params.start(static_cast<int>(i));
        std::ranges::fill(numbers.subspan(start, tensor(run.params, i).size()), 0.0f);
      }
      CHECK(std::ranges::all_of(numbers, [](float x) { return std::bit_cast<uint32_t>(x) == 0; }));
    }
  }
}

TEST_CASE("moments decay to zero and never become denormal") {
  const auto layout = layout_of({{"a.weight", {4, 16}, true}});
  Pool pool(1);
  for (const auto* kernels : nn::tables()) {
    nn::Context context(pool, *kernels);
    Run run(layout, Method::adamw);
    run.steps(1, context);
    const nn::Params none(layout);
    bool denormal = false;
    for (int i = 0; i < 1000; ++i) {
      run.optimizer.step(run.params, none, 1e-3, 1, context);
      for (const float m : run.moments(Moment::m)) denormal |= std::fpclassify(m) == FP_SUBNORMAL;
    }
    CHECK_FALSE(denormal);
    CHECK(std::ranges::all_of(run.moments(Moment::m), [](float m) { return m == 0; }));
  }
}

TEST_CASE("a NaN gradient propagates to the parameters") {
  const auto layout = layout_of({{"a.weight", {4, 16}, true}});
  Pool pool(1);
  for (const auto& [name, method] : train::kMethods) {
    for (const auto* kernels : nn::tables()) {
      nn::Context context(pool, *kernels);
      Run run(layout, method);
      run.gradients.next();
      tensor(run.gradients.now, 0)[5] = std::nanf("");
      run.optimizer.step(run.params, run.gradients.now, 1e-3, 1, context);
      CHECK(std::isnan(tensor(run.params, 0)[5]));
    }
  }
}

TEST_CASE("an epsilon too small to prevent division by zero is rejected") {
  const auto layout = layout_of({{"a.weight", {4, 16}, true}});
  CHECK_THROWS_WITH_AS(Optimizer(layout, {.epsilon = 0.0}),
                       "the optimizer's epsilon is 0, must be at least 1e-12", Error);
}
