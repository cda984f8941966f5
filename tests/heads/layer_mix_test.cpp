#include "heads/layer_mix.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "base/error.h"

using namespace bert::heads;
using bert::nn::Tensor;

namespace {

// Three layers of two tokens, H = 2: layer l, token t, column i holds 100 l + 10 t + i.
std::vector<Tensor> states(const LayerMix& mix) {
  std::vector<Tensor> layers;
  for (const int layer : mix.wanted()) {
    Tensor& tensor = layers.emplace_back(2, 2);
    for (int t = 0; t < 2; ++t)
      for (int i = 0; i < 2; ++i) tensor.row(t)[i] = static_cast<float>(100 * layer + 10 * t + i);
  }
  return layers;
}

std::vector<float> second_token(const LayerMix::Recipe& recipe) {
  const LayerMix mix(recipe, 3, 2);
  std::vector<float> scratch;
  const auto layers = states(mix);
  const auto vector = mix.token(layers, 1, scratch);
  CHECK(static_cast<int64_t>(vector.size()) == mix.width());
  return {vector.begin(), vector.end()};
}

}  // namespace

TEST_CASE("layers are numbered from the embeddings, or backwards from the last layer") {
  CHECK(second_token({}) == std::vector<float>{310, 311});
  CHECK(second_token({.layers = {0}}) == std::vector<float>{10, 11});
  CHECK(second_token({.layers = {3}}) == second_token({.layers = {-1}}));
  CHECK(second_token({.layers = {-4}}) == second_token({.layers = {0}}));
}

TEST_CASE("Google's numbers start at the first encoder layer") {
  CHECK(second_token({.layers = {0}, .numbering = LayerNumbering::google}) == std::vector<float>{110, 111});
  CHECK(second_token({.layers = {-3}, .numbering = LayerNumbering::google}) == std::vector<float>{110, 111});
  CHECK_THROWS_AS(LayerMix({.layers = {-4}, .numbering = LayerNumbering::google}, 3, 2), bert::Error);
}

TEST_CASE("layers are concatenated in the requested order") {
  CHECK(second_token({.layers = {-1, 0, -1}}) == std::vector<float>{310, 311, 10, 11, 310, 311});
  CHECK(LayerMix({.layers = {-1, 0, 3}}, 3, 2).wanted() == std::vector<int>{0, 3});
}

TEST_CASE("sum and mean accept weights; mean divides by the sum of the weights") {
  CHECK(second_token({.layers = {1, 2}, .combine = Combine::sum}) == std::vector<float>{320, 322});
  CHECK(second_token({.layers = {1, 2}, .combine = Combine::mean}) == std::vector<float>{160, 161});
  CHECK(second_token({.layers = {1, 2}, .combine = Combine::sum, .weights = {2, -1}}) ==
        std::vector<float>{10, 11});
  CHECK(second_token({.layers = {1, 2}, .combine = Combine::mean, .weights = {3, 1}}) ==
        std::vector<float>{135, 136});
  CHECK(second_token({.layers = {2}, .combine = Combine::mean, .weights = {5}}) ==
        std::vector<float>{210, 211});
  CHECK(second_token({.layers = {2}, .combine = Combine::sum, .weights = {0.5}}) ==
        std::vector<float>{105, 105.5});
}

TEST_CASE("layers that do not exist and mismatched weights are rejected") {
  CHECK_THROWS_WITH_AS(LayerMix({.layers = {4}}, 3, 2),
                       "layer 4 is not in the model: layers are 0 to 3 or -1 to -4", bert::Error);
  CHECK_THROWS_AS(LayerMix({.layers = {-5}}, 3, 2), bert::Error);
  CHECK_THROWS_AS(LayerMix({.layers = {1, 2}, .combine = Combine::sum, .weights = {1}}, 3, 2), bert::Error);
  CHECK_THROWS_AS(LayerMix({.layers = {1, 2}, .weights = {1, 1}}, 3, 2), bert::Error);
  CHECK_THROWS_AS(LayerMix({.layers = {1, 2}, .combine = Combine::mean, .weights = {1, -1}}, 3, 2),
                  bert::Error);
}
