#include "model/initialize.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "model/heads.h"
#include "model/model_type.h"

namespace bert::model {
namespace {

// FNV-1a, because std::hash may differ between builds.
uint64_t hash_of(std::string_view name) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

// Standard deviation of normal numbers, before those beyond ±most are drawn again.
struct Spread {
  double deviation, most;
};

Spread spread_of(std::string_view tensor, const Config& config) {
  if (!config.init_cutoff) return {config.init_range, std::numeric_limits<double>::infinity()};
  double deviation = config.init_range;
  if (tensor.ends_with("output.dense.weight") || tensor.starts_with("cls.predictions.transform."))
    deviation /= std::sqrt(2.0 * static_cast<double>(config.layers));
  if (std::ranges::any_of(heads(), [&](const Head& head) {
        return head.fine_tuned && tensor == std::string(head.tensors(*config.type)) + ".weight";
      }))
    deviation = 1 / std::sqrt(static_cast<double>(config.hidden));
  return {deviation, deviation * *config.init_cutoff};
}

// Box and Muller 1958: two uniform draws give two normal numbers.
void fill_normal(std::span<float> numbers, const Spread& spread, Random random) {
  for (size_t i = 0; i < numbers.size();) {
    const double radius = spread.deviation * std::sqrt(-2 * std::log(1 - random.uniform()));
    const double angle = 2 * std::numbers::pi * random.uniform();
    for (const double number : {radius * std::cos(angle), radius * std::sin(angle)})
      if (i < numbers.size() && std::abs(number) <= spread.most) numbers[i++] = static_cast<float>(number);
  }
}

// Angle between adjacent positions in sinusoid `i` of `count`.
double frequency(int64_t i, int64_t count) { return std::pow(10000, -static_cast<double>(i) / count); }

void fill_waves(std::span<float> table, int64_t width) {
  constexpr double kAmplitude = 0.04;
  const int64_t half = std::max<int64_t>(1, width / 2);
  for (size_t i = 0; i < table.size(); ++i) {
    const auto row = static_cast<int64_t>(i) / width, column = static_cast<int64_t>(i) % width;
    const double angle = row * frequency(column % half, half);
    table[i] = static_cast<float>(kAmplitude * (column < half ? std::sin(angle) : std::cos(angle)));
  }
}

// +1, -1, +2, -2, …
int64_t distance_of_head(int64_t head) { return head % 2 == 0 ? head / 2 + 1 : -(head / 2 + 1); }

// Sets queries and keys [H,H] of heads that attend from x to x + d. With sin(f·x) and cos(f·x) in the tokens,
// for several frequencies f:
//   key(y)   = (sin f·y, cos f·y)
//   query(x) = (sin f·(x + d), cos f·(x + d)),   sin f·(x + d) = sin f·x·cos f·d + cos f·x·sin f·d
// so the product Σ_f cos f·(x + d - y) is largest at y = x + d.
void look_at_neighbours(std::span<float> queries, std::span<float> keys, int64_t hidden, int64_t heads) {
  const double kGain = std::numbers::sqrt2;  // by position, most attention is then on the neighbour
  const int64_t waves = hidden / 2, pairs = hidden / heads / 2, apart = std::max<int64_t>(1, heads / 2);
  const auto set = [hidden](std::span<float> matrix, int64_t row, int64_t column, double value) {
    matrix[row * hidden + column] = value;
  };
  for (int64_t pair = 0; pair < heads * pairs; ++pair) {
    const int64_t head = pair / pairs, within = pair % pairs;
    const int64_t sine = head * (hidden / heads) + within, cosine = sine + pairs, wave = within * apart;
    const double turn = distance_of_head(head) * frequency(wave, waves);
    for (const int64_t row : {sine, cosine}) {
      std::ranges::fill(queries.subspan(row * hidden, hidden), 0.0f);
      std::ranges::fill(keys.subspan(row * hidden, hidden), 0.0f);
    }
    set(keys, sine, wave, kGain);
    set(keys, cosine, waves + wave, kGain);
    set(queries, sine, wave, kGain * std::cos(turn));
    set(queries, sine, waves + wave, kGain * std::sin(turn));
    set(queries, cosine, wave, -kGain * std::sin(turn));
    set(queries, cosine, waves + wave, kGain * std::cos(turn));
  }
}

// Part of a tensor, filled from its own random stream.
struct Block {
  std::span<float> numbers;
  Spread spread;
  uint64_t name, index;
};

}  // namespace

void initialize(nn::Params& params, const Config& config, uint64_t seed, PositionStart positions,
                Pool& pool) {
  constexpr size_t kBlock = 1 << 14;
  std::vector<Block> blocks;
  const auto& entries = params.layout().entries();
  for (size_t place = 0; place < entries.size(); ++place) {
    const std::string_view name = entries[place].name;
    const auto numbers = params.tensor(place);
    if (name.ends_with("bias") || name == "layer_weights") {
      std::ranges::fill(numbers, 0.0f);
    } else if (name.ends_with("LayerNorm.weight") || name == "layer_gamma") {
      std::ranges::fill(numbers, 1.0f);
    } else if (positions != PositionStart::normal && name.ends_with("position_embeddings.weight")) {
      fill_waves(numbers, entries[place].shape[1]);
    } else {
      const auto spread = spread_of(name, config);
      for (size_t from = 0; from < numbers.size(); from += kBlock) {
        const auto size = std::min(kBlock, numbers.size() - from);
        blocks.push_back({numbers.subspan(from, size), spread, hash_of(name), from / kBlock});
      }
    }
  }
  pool.run_grid(blocks.size(), [&](int64_t i, int) {
    const auto& block = blocks[i];
    fill_normal(block.numbers, block.spread, Random(seed, {block.name, block.index}));
  });
}

void look_at_neighbours(nn::Params& params, int64_t heads) {
  const std::string prefix = layer_name(0) + ".attention.self.";
  std::span<float> queries, keys;
  int64_t hidden = 0;
  const auto& entries = params.layout().entries();
  for (size_t place = 0; place < entries.size(); ++place) {
    if (entries[place].name == prefix + "query.weight") queries = params.tensor(place);
    if (entries[place].name != prefix + "key.weight") continue;
    keys = params.tensor(place);
    hidden = entries[place].shape[1];
  }
  look_at_neighbours(queries, keys, hidden, heads);
}

}  // namespace bert::model
