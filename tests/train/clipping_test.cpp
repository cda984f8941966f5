#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "nn/tables.h"
#include "train/optimizer.h"

using namespace bert;
using train::clip_factor, train::norm_of, train::square_sums;

namespace {

struct Gradients {
  nn::Layout layout;
  nn::Params params;

  Gradients() : layout(make_layout()), params(layout) {
    std::mt19937 random(1);
    std::normal_distribution<float> normal;
    for (int place = 0; place < 3; ++place) {
      for (float& number : params.tensor(place)) number = normal(random);
    }
  }
  static nn::Layout make_layout() {
    nn::Layout layout;
    layout.add_matrix("a.weight", 401, 333);  // large enough to be processed in several parts
    layout.add_plain("a.bias", {401});
    layout.add_plain("b.bias", {5});
    return layout;
  }
};

uint64_t bits(double x) { return std::bit_cast<uint64_t>(x); }

}  // namespace

TEST_CASE("the global norm covers all tensors") {
  Gradients gradients;
  Pool pool(2);
  nn::Context context(pool);
  long double squares = 0;
  for (int place = 0; place < 3; ++place) {
    for (const float number : gradients.params.tensor(place)) {
      squares += static_cast<long double>(number) * number;
    }
  }
  const double norm = norm_of(square_sums(gradients.params, context));
  CHECK(norm == doctest::Approx(static_cast<double>(std::sqrt(squares))).epsilon(1e-14));
}

TEST_CASE("the global norm is bitwise equal for any number of threads and every kernel table") {
  Gradients gradients;
  Pool one(1);
  nn::Context alone(one, nn::kernels_baseline::kTable);
  const double expected = norm_of(square_sums(gradients.params, alone));
  for (const auto* kernels : nn::tables()) {
    for (const int threads : {1, 2, 3}) {
      Pool pool(threads);
      nn::Context context(pool, *kernels);
      const double norm = norm_of(square_sums(gradients.params, context));
      CHECK_MESSAGE(bits(norm) == bits(expected), std::string(kernels->name), " ", threads, " threads");
    }
  }
}

TEST_CASE("the global norm from the sums of several owners has the same bits") {
  Gradients gradients;
  Pool pool(2);
  nn::Context context(pool);
  const auto all = train::square_sums(gradients.params, context);
  CHECK(bits(train::norm_of(all)) == bits(norm_of(square_sums(gradients.params, context))));
  std::vector<double> together(all.size());
  for (size_t owner = 0; owner < 3; ++owner) {
    std::vector<bool> owned(all.size());
    for (size_t i = owner; i < owned.size(); i += 3) owned[i] = true;
    const auto own = train::square_sums(gradients.params, context, owned);
    REQUIRE(own.size() == all.size());
    for (size_t i = 0; i < own.size(); ++i) {
      if (!owned[i]) CHECK(own[i] == 0);
      together[i] += own[i];
    }
  }
  CHECK(all.size() == 5);  // a.weight has three slices
  CHECK(together == all);
  CHECK(bits(train::norm_of(together)) == bits(train::norm_of(all)));
  const double in_order[] = {1e300, -1e300, 4};  // from the end, 4 would be lost
  CHECK(train::norm_of(in_order) == 2);
}

TEST_CASE("the global norm is finite exactly when every gradient is") {
  constexpr float kMost = std::numeric_limits<float>::max(),
                  kInfinity = std::numeric_limits<float>::infinity();
  Pool pool(1);
  for (const auto* kernels : nn::tables()) {
    nn::Context context(pool, *kernels);
    Gradients gradients;
    for (float& number : gradients.params.tensor(0)) number = kMost;
    CHECK(std::isfinite(norm_of(square_sums(gradients.params, context))));
    gradients.params.tensor(2)[4] = -kInfinity;
    CHECK(std::isinf(norm_of(square_sums(gradients.params, context))));
    gradients.params.tensor(1)[400] = std::nanf("");
    CHECK(std::isnan(norm_of(square_sums(gradients.params, context))));
  }
}

TEST_CASE("gradients above the maximum norm are scaled down to it, others are unchanged") {
  CHECK(clip_factor(4, 1) == 0.25);
  CHECK(clip_factor(1, 1) == 1);
  CHECK(clip_factor(0.5, 1) == 1);
  CHECK(clip_factor(0, 1) == 1);
  CHECK(clip_factor(1e9, 0) == 1);  // no clipping
}
