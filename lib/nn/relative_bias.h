// Relative attention bias, the same in all layers: a table (Raffel et al. 2020, "Exploring the limits of
// transfer learning", section 2.1), as in MPNet, or numbers that fall linearly with the distance and are not
// learned (ALiBi, Press et al. 2022, "Train short, test long"), on both sides as in Jina's BERT.
//
//   scores[i,j] = q[i]·k[j]/√d + table[bucket(j - i), head]      for query i and key j of one sequence
//   scores[i,j] = q[i]·k[j]/√d - slope[head]·|j - i|
//
// Both are spread to all distances once per batch, so that a layer adds a row of consecutive numbers to the
// scores of a query:
//
//   heads 2, longest sequence 3     distance:  -2 -1  0  1  2
//                                   head 0:     a  b  c  d  e       query 1 of a sequence of 3 adds b c d
//                                   head 1:     f  g  h  i  j       query 0 of a sequence of 2 adds h i
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "nn/params.h"
#include "nn/weights.h"

namespace bert::nn {

// Numbers for each head and each distance between tokens of a batch.
template <class Number>
struct ByDistance {
  int64_t longest = 0;          // tokens of the longest sequence; distances are less than that
  std::vector<Number> numbers;  // [A, 2·longest - 1]

  void resize(int64_t heads, int64_t length) {
    longest = length;
    numbers.assign(heads * (2 * length - 1), 0);
  }
  // That of distance 0.
  Number* center(int64_t head) { return numbers.data() + head * (2 * longest - 1) + longest - 1; }
  const Number* center(int64_t head) const { return numbers.data() + head * (2 * longest - 1) + longest - 1; }
};

class RelativeBias {
 public:
  static constexpr int64_t kBuckets = 32, kMaxDistance = 128;

  struct Config {
    int64_t rows = kBuckets;  // of the table, those after the buckets are not used; 0: ALiBi
    int64_t heads = 12;
    int64_t head_size = 64;
  };

  // Adds the table [rows, A] to the layout, if there is one.
  RelativeBias(std::string name, const Config& config, Layout& layout);

  // Half of the buckets are for each direction. The 8 nearest distances have one each, the others share them
  // on a logarithmic scale up to kMaxDistance.
  static int64_t bucket(int64_t distance);

  // The slope of each head of ALiBi: 2^(-8i/A) for i from 1 to A if A is a power of two; otherwise those of
  // the power of two below A, and then every second one of twice that power.
  static std::vector<double> slopes(int64_t heads);

  bool is_learned() const { return config_.rows > 0; }

  // The biases times √d, because attention scales the sum of product and bias; `offsets` [B+1] are the starts
  // of the sequences.
  void forward(const Weights& weights, std::span<const int64_t> offsets, ByDistance<float>& bias) const;

  // Adds to the table's gradient, which must be there; dbias is that of forward's result.
  void backward(const ByDistance<double>& dbias, Params& gradients) const;

 private:
  double factor() const;

  Config config_;
  int table_ = 0;               // if it is learned
  std::vector<double> slopes_;  // if it is not
};

}  // namespace bert::nn
