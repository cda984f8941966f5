// Counter-based random numbers: each is a function of a seed, a position ("epoch 2, document 17, instance 4")
// and how many numbers have been drawn there. Results do not depend on threads, order or shards, and a
// resumed run draws the same numbers. Philox4x32-10 (Salmon et al. 2011, "Parallel random numbers: as easy as
// 1, 2, 3").
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <utility>

namespace bert {

// Ten rounds of Philox: four random words for each pair of counter and key.
std::array<uint32_t, 4> philox(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key);

class Random {
 public:
  // The stream of `seed` at `places`; a different list of places, or one of different length, gives another
  // stream.
  explicit Random(uint64_t seed, std::initializer_list<uint64_t> places = {});

  uint32_t next();                 // all 32 bits
  uint32_t below(uint32_t bound);  // [0, bound), each equally likely; bound >= 1
  double uniform();                // [0, 1), 53 bits
  bool bernoulli(double probability) { return uniform() < probability; }

  // Random permutation (Fisher-Yates).
  template <class Range>
  void shuffle(Range& elements) {
    for (uint32_t left = elements.size(); left > 1; --left) {
      const uint32_t chosen = below(left);
      std::swap(elements[chosen], elements[left - 1]);
    }
  }

 private:
  std::array<uint32_t, 2> key_;
  uint64_t block_ = 0;
  std::array<uint32_t, 4> words_ = {};
  int used_ = 4;
};

}  // namespace bert
