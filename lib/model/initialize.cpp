#include "model/initialize.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <string_view>
#include <vector>

#include "base/random.h"

namespace bert::model {
namespace {

// FNV-1a: std::hash may give another number in another build.
uint64_t hash_of(std::string_view name) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

// Two numbers from each two draws (Box and Muller 1958).
void fill_normal(std::span<float> numbers, double deviation, Random random) {
  for (size_t i = 0; i < numbers.size(); i += 2) {
    const double radius = deviation * std::sqrt(-2 * std::log(1 - random.uniform()));
    const double angle = 2 * std::numbers::pi * random.uniform();
    numbers[i] = static_cast<float>(radius * std::cos(angle));
    if (i + 1 < numbers.size()) numbers[i + 1] = static_cast<float>(radius * std::sin(angle));
  }
}

void fill_waves(std::span<float> table, int64_t width) {
  constexpr double kAmplitude = 0.04;
  const int64_t half = std::max<int64_t>(1, width / 2);
  for (size_t i = 0; i < table.size(); ++i) {
    const auto row = static_cast<int64_t>(i) / width, column = static_cast<int64_t>(i) % width;
    const double wave = static_cast<double>(column % half) / static_cast<double>(half);
    const double angle = static_cast<double>(row) / std::pow(10000, wave);
    table[i] = static_cast<float>(kAmplitude * (column < half ? std::sin(angle) : std::cos(angle)));
  }
}

// A part of a tensor with random numbers, of one stream.
struct Block {
  std::span<float> numbers;
  uint64_t name, index;
};

}  // namespace

void initialize(nn::Params& params, float deviation, uint64_t seed, PositionStart positions, Pool& pool) {
  constexpr size_t kBlock = 1 << 14;
  std::vector<Block> blocks;
  const auto& entries = params.layout().entries();
  for (size_t place = 0; place < entries.size(); ++place) {
    const std::string_view name = entries[place].name;
    const auto numbers = params.tensor(static_cast<int>(place));
    if (name.ends_with("bias")) {
      std::ranges::fill(numbers, 0.0f);
    } else if (name.ends_with("LayerNorm.weight")) {
      std::ranges::fill(numbers, 1.0f);
    } else if (positions == PositionStart::sinusoid && name.ends_with("position_embeddings.weight")) {
      fill_waves(numbers, entries[place].shape[1]);
    } else {
      for (size_t from = 0; from < numbers.size(); from += kBlock) {
        const auto size = std::min(kBlock, numbers.size() - from);
        blocks.push_back({numbers.subspan(from, size), hash_of(name), from / kBlock});
      }
    }
  }
  pool.run_grid(static_cast<int64_t>(blocks.size()), [&](int64_t i, int) {
    const auto& block = blocks[static_cast<size_t>(i)];
    fill_normal(block.numbers, deviation, Random(seed, {block.name, block.index}));
  });
}

}  // namespace bert::model
