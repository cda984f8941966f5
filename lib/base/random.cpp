#include "base/random.h"

namespace bert {
namespace {

std::array<uint32_t, 2> halves(uint64_t value) {
  return {static_cast<uint32_t>(value), static_cast<uint32_t>(value >> 32)};
}

}  // namespace

std::array<uint32_t, 4> philox(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key) {
  constexpr uint64_t kFirst = 0xD2511F53, kSecond = 0xCD9E8D57;  // constants from the paper
  constexpr uint32_t kFirstStep = 0x9E3779B9, kSecondStep = 0xBB67AE85;
  for (int round = 0; round < 10; ++round) {
    const auto first = halves(kFirst * counter[0]), second = halves(kSecond * counter[2]);
    counter = {second[1] ^ counter[1] ^ key[0], second[0], first[1] ^ counter[3] ^ key[1], first[0]};
    key = {key[0] + kFirstStep, key[1] + kSecondStep};
  }
  return counter;
}

// Each place maps the current key to the next one. The last word of the counter separates these calls from
// the draws, the third word is the depth.
Random::Random(uint64_t seed, std::initializer_list<uint64_t> places) : key_(halves(seed)) {
  uint32_t depth = 0;
  for (const uint64_t place : places) {
    const auto parts = halves(place);
    const auto mixed = philox({parts[0], parts[1], ++depth, 1}, key_);
    key_ = {mixed[0], mixed[1]};
  }
}

uint32_t Random::next() {
  if (used_ == 4) {
    const auto count = halves(block_++);
    words_ = philox({count[0], count[1], 0, 0}, key_);
    used_ = 0;
  }
  return words_[used_++];
}

// Lemire 2019, "Fast random integer generation in an interval": the upper half of the product; the few draws
// that would cause a bias are rejected.
uint32_t Random::below(uint32_t bound) {
  uint64_t product = uint64_t{next()} * bound;
  if (static_cast<uint32_t>(product) < bound) {
    const uint32_t biased = -bound % bound;
    while (static_cast<uint32_t>(product) < biased) product = uint64_t{next()} * bound;
  }
  return product >> 32;
}

double Random::uniform() {
  const uint64_t high = next() >> 5, low = next() >> 6;
  return static_cast<double>(high << 26 | low) * 0x1p-53;
}

}  // namespace bert
