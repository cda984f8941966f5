#include "golden.h"

#include <doctest/doctest.h>

namespace bert::golden {

TEST_CASE("every model has cases whose arrays match the length of their text") {
  const auto names = model_names();
  REQUIRE(names.size() >= 20);
  for (const auto& name : names) {
    INFO(name);
    CHECK(std::filesystem::exists(encoder_directory(name) + "/config.json"));
    const auto model = load(name);
    CHECK(model.cases.size() >= 7);
    for (const auto& one : model.cases) {
      INFO(one.name);
      CHECK(one.token_type_ids.size() == one.input_ids.size());
      const auto& embeddings = one.outputs.at("hidden.0");
      CHECK(embeddings.rows == static_cast<int64_t>(one.input_ids.size()));
      for (const auto& output : one.outputs) {
        INFO(output.first);
        const auto& array = output.second;
        CHECK(array.bound >= 2e-6);
        CHECK(array.bound < 1e-5);
        CHECK(array.error(array.values) == 0);
      }
    }
  }
}

TEST_CASE("the error of vectors is that of the worst row") {
  const Array truth{.rows = 2, .width = 2, .values = {3, 4, 30, 40}, .bound = 2e-6};
  CHECK(truth.error(std::vector<float>{3, 4.5, 30, 40}) == doctest::Approx(0.1));
  CHECK(truth.error(std::vector<float>{3, 4, 30, 40.5}) == doctest::Approx(0.01));
  CHECK(truth.error(std::vector<float>{3, 4, 30}) == std::numeric_limits<double>::infinity());
  CHECK(truth.error(std::vector<float>{3, 4, 30, NAN}) == std::numeric_limits<double>::infinity());
}

TEST_CASE("the error of logits is relative to the norms of weight row and input") {
  const Array truth{
      .rows = 1, .width = 2, .values = {0, 5}, .bound = 2e-6, .weight_norms = {2, 4}, .input_norms = {10}};
  CHECK(truth.error(std::vector<float>{0.2F, 5}) == doctest::Approx(0.01));
  CHECK(truth.error(std::vector<float>{0, 5.2F}) == doctest::Approx(0.005));
}

}  // namespace bert::golden
