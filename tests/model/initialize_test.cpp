#include "model/initialize.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numbers>
#include <string>
#include <vector>

#include "model/training_network.h"

using namespace bert;
using model::PositionStart;

namespace {

constexpr const char* kWords = "embeddings.word_embeddings.weight";
constexpr const char* kPositions = "embeddings.position_embeddings.weight";

nn::Layout small_layout() {
  nn::Layout layout;
  layout.add_plain(kWords, {1000, 64});
  layout.add_plain(kPositions, {40, 64});
  layout.add_plain("embeddings.LayerNorm.weight", {64});
  layout.add_plain("embeddings.LayerNorm.bias", {64});
  layout.add_matrix("encoder.layer.0.intermediate.dense.weight", 256, 64);
  layout.add_plain("encoder.layer.0.intermediate.dense.bias", {256});
  layout.add_plain("cls.predictions.transform.LayerNorm.weight", {64});
  layout.add_plain("cls.predictions.bias", {1000});
  return layout;
}

nn::Params start(const nn::Layout& layout, uint64_t seed = 5, int threads = 1,
                 PositionStart positions = PositionStart::normal, const model::Config& config = {}) {
  nn::Params params(layout);
  std::ranges::fill(params.tensor(0), 9.0f);  // previous values are overwritten
  Pool pool(threads);
  model::initialize(params, config, seed, positions, pool);
  return params;
}

bool all_are(std::span<const float> numbers, float value) {
  return std::ranges::all_of(numbers, [=](float x) { return x == value; });
}

std::vector<float> copy(std::span<const float> numbers) { return {numbers.begin(), numbers.end()}; }

// Mean of z[i] * z[i + lag].
double correlation(const std::vector<double>& z, size_t lag) {
  double sum = 0;
  for (size_t i = 0; i + lag < z.size(); ++i) sum += z[i] * z[i + lag];
  return sum / static_cast<double>(z.size() - lag);
}

}  // namespace

TEST_CASE("biases start at 0, layer normalization gains at 1, all other weights at random") {
  const auto layout = small_layout();
  const auto params = start(layout);
  CHECK(all_are(params.tensor(2), 1));
  CHECK(all_are(params.tensor(3), 0));
  CHECK(all_are(params.tensor(5), 0));
  CHECK(all_are(params.tensor(6), 1));
  CHECK(all_are(params.tensor(7), 0));
  for (const int place : {0, 1, 4}) {
    CHECK(std::ranges::count(params.tensor(place), 0.0f) == 0);
  }
}

// For a million numbers the standard error of the mean is 0.001 and that of the variance 0.0014, in units of
// the distribution's; the bounds are four standard errors. Chi-square with 63 degrees of freedom exceeds 125
// with probability 1e-5.
TEST_CASE("random weights are normally distributed") {
  nn::Layout layout;
  layout.add_plain(kWords, {1000, 1000});
  const auto params = start(layout);
  std::vector<double> z;
  for (const float number : params.tensor(0)) z.push_back(static_cast<double>(number) / 0.02);
  double mean = 0, square = 0, fourth = 0, most = 0;
  std::array<double, 64> counts = {};
  for (const double x : z) {
    mean += x / 1e6;
    square += x * x / 1e6;
    fourth += x * x * x * x / 1e6;
    most = std::max(most, std::abs(x));
    ++counts[std::min<size_t>(63, static_cast<size_t>(64 * 0.5 * std::erfc(-x / std::sqrt(2.0))))];
  }
  CHECK(std::abs(mean) < 0.004);
  CHECK(std::abs(square - 1) < 0.006);
  CHECK(std::abs(fourth - 3) < 0.04);  // standard error √(96/1e6)
  CHECK(most > 4);                     // not truncated: one number in 16000 exceeds 4
  CHECK(most < 7);
  double chi_square = 0;
  for (const double count : counts) chi_square += (count - 15625) * (count - 15625) / 15625;
  CHECK(chi_square < 125);
  for (const size_t lag : {1, 2, 3, 4, 1000, 16384}) CHECK(std::abs(correlation(z, lag)) < 0.004);
}

// As transformers 5 has them. Of values that are cut at c deviations, the deviation is √(1 - 2c·φ(c) / (2Φ(c)
// - 1)) times as large. The bounds are four standard errors, which are smaller than those of uncut values.
TEST_CASE("weights of ModernBERT are truncated, with a deviation for each kind of layer") {
  const double range = 0.05, cutoff = 1.5;
  const auto config = model::parse_config("config.json", R"({"model_type": "modernbert", "vocab_size": 900,
      "hidden_size": 64, "num_hidden_layers": 8, "num_attention_heads": 2, "intermediate_size": 96,
      "pad_token_id": 0, "initializer_range": 0.05, "initializer_cutoff_factor": 1.5})");
  Pool pool(2);
  model::TrainingNetwork network(config, {model::head_of(task::Task::classify)}, pool);
  const auto& layout = network.parameters().layout();
  const auto params = start(layout, 5, 2, PositionStart::normal, config);
  const double out = range / std::sqrt(2.0 * 8), cut = std::erf(cutoff / std::numbers::sqrt2);
  const double density = std::exp(-cutoff * cutoff / 2) / std::sqrt(2 * std::numbers::pi);
  const double left = std::sqrt(1 - 2 * cutoff * density / cut);
  for (size_t place = 0; place < layout.entries().size(); ++place) {
    const std::string& name = layout.entries()[place].name;
    const auto numbers = params.tensor(static_cast<int>(place));
    INFO(name);
    if (name.ends_with("LayerNorm.weight")) CHECK(all_are(numbers, 1));
    if (name.ends_with("bias")) CHECK(all_are(numbers, 0));
    if (name.ends_with("LayerNorm.weight") || name.ends_with("bias")) continue;
    const bool adds =
        name.ends_with("output.dense.weight") || name == "cls.predictions.transform.dense.weight";
    const double deviation = name == "classifier.weight" ? 1.0 / 8 : adds ? out : range;
    double square = 0, most = 0;
    for (const float number : numbers) {
      const double z = static_cast<double>(number) / deviation;
      square += z * z / static_cast<double>(numbers.size());
      most = std::max(most, std::abs(z));
    }
    const double error = 4 / std::sqrt(2.0 * static_cast<double>(numbers.size()));
    CHECK(most <= cutoff * (1 + 1e-6));
    CHECK(most > cutoff * (1 - 30.0 / static_cast<double>(numbers.size())));
    CHECK(std::abs(std::sqrt(square) / left - 1) < error);
  }
}

TEST_CASE("initial weights depend on the seed and the tensor's name only") {
  const auto layout = small_layout();
  const auto params = start(layout);
  for (const int threads : {2, 3}) {
    CHECK(copy(start(layout, 5, threads).all()) == copy(params.all()));
  }
  nn::Layout alone;
  alone.add_plain(kPositions, {40, 64});
  CHECK(copy(start(alone).tensor(0)) == copy(params.tensor(1)));
  nn::Layout renamed;
  renamed.add_plain("embeddings.other.weight", {40, 64});
  CHECK(copy(start(renamed).tensor(0)) != copy(params.tensor(1)));
  CHECK(copy(start(layout, 6).tensor(1)) != copy(params.tensor(1)));
}

TEST_CASE("sinusoidal positions change no other tensor") {
  const auto layout = small_layout();
  const auto plain = start(layout), waves = start(layout, 5, 2, PositionStart::sinusoid);
  for (const int place : {0, 2, 3, 4, 5, 6, 7}) CHECK(copy(waves.tensor(place)) == copy(plain.tensor(place)));
  const auto table = waves.tensor(1);
  for (size_t t = 0; t < 40; ++t) {
    for (size_t i = 0; i < 32; ++i) {
      const double angle = static_cast<double>(t) / std::pow(10000.0, static_cast<double>(i) / 32);
      CHECK(table[t * 64 + i] == doctest::Approx(0.04 * std::sin(angle)).epsilon(1e-6));
      CHECK(table[t * 64 + 32 + i] == doctest::Approx(0.04 * std::cos(angle)).epsilon(1e-6));
    }
  }
}

// From positions alone, away from both ends of the text.
TEST_CASE("with sinusoidal positions each head initially attends to one neighbour") {
  constexpr int64_t kHidden = 64, kHeads = 4, kSize = kHidden / kHeads, kTokens = 40;
  nn::Layout layout;
  layout.add_plain(kPositions, {kTokens, kHidden});
  layout.add_matrix("encoder.layer.0.attention.self.query.weight", kHidden, kHidden);
  layout.add_matrix("encoder.layer.0.attention.self.key.weight", kHidden, kHidden);
  auto params = start(layout, 5, 1, PositionStart::neighbours);
  model::look_at_neighbours(params, kHeads);
  const auto row = [&](int matrix, int64_t output, int64_t token) {
    double sum = 0;
    for (int64_t i = 0; i < kHidden; ++i)
      sum += static_cast<double>(params.tensor(matrix)[static_cast<size_t>(output * kHidden + i)]) *
             static_cast<double>(params.tensor(0)[static_cast<size_t>(token * kHidden + i)]);
    return sum;
  };
  const int64_t distances[kHeads] = {1, -1, 2, -2};
  for (int64_t head = 0; head < kHeads; ++head) {
    for (int64_t x = 3; x < kTokens - 3; ++x) {
      int64_t best = 0;
      double most = -1e9;
      for (int64_t y = 0; y < kTokens; ++y) {
        double logit = 0;
        for (int64_t i = head * kSize; i < (head + 1) * kSize; ++i) logit += row(1, i, x) * row(2, i, y);
        if (logit > most) best = y;
        most = std::max(most, logit);
      }
      CHECK(best - x == distances[head]);
    }
  }
}
