// How the examples of a step are shared out among the processes (ranks) that train one model.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace bert::examples {

// What decides which rank gets an example.
struct Weight {
  int64_t tokens;
  int reader;  // the rank that has read it
};

// The rank of each example of a batch. The longest ones are given out first, each to the rank with the fewest
// tokens so far, if possible to its reader, so that ranks finish together. `loads`: tokens of each rank in
// the step's batches so far; those of this batch are added.
std::vector<int> share_out(std::span<const Weight> batch, std::vector<int64_t>& loads);

}  // namespace bert::examples
