// Data-parallel training with a sharded optimizer, known as ZeRO stage 1 (Rajbhandari et al. 2020,
// section 5.1). Each rank computes the gradients of its share of a step's examples. Each slice of the
// parameters has one owner, which adds the gradients of all ranks, keeps the optimizer's moments, updates the
// parameters and sends them to the others.
//
// Gradients are exchanged level by level while backward computes those of the levels below. They are added in
// the order of the ranks, so that equal ranks give equal bits.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "comm/communicator.h"
#include "nn/kernels/kernels.h"
#include "nn/params.h"
#include "train/moments.h"
#include "train/slices.h"

namespace bert::train {

class Sharding {
 public:
  // `frozen`: as in OptimizerConfig. Both arguments must outlive this object.
  Sharding(comm::Communicator& ranks, const nn::Layout& layout, std::optional<int64_t> frozen);

  comm::Communicator& ranks() const { return ranks_; }

  // Whether this rank owns each slice of slices_of(layout); empty if it is alone.
  std::vector<bool> owned() const;

  // Starts to add the gradients of a level (level_of() in model/parts.h); they must be complete. Returns at
  // once.
  void start_sum(int64_t level, nn::Params& gradients);
  // Starts the levels that were not started, and waits for all. Then each owner has the sums.
  void finish_sums(nn::Params& gradients);
  // Copies the parameters from their owners.
  void share(nn::Params& parameters);

  // For numbers that only the owner of each slice has, 0 elsewhere: copies them to all ranks.
  void complete(std::span<double> of_slices) { ranks_.sum(of_slices); }
  void complete(std::span<nn::SquareSums> of_slices);

  // Copies a moment of a tensor to `to` on rank 0; elsewhere `to` is not used. All ranks call it.
  void collect(Moments& moments, Moment moment, int tensor, std::span<float> to);

 private:
  std::vector<comm::Piece> pieces_of(int64_t level, nn::Params& params);

  comm::Communicator& ranks_;
  const nn::Layout& layout_;
  std::vector<Slice> slices_;
  std::vector<int> owners_;      // of each slice
  std::vector<int64_t> levels_;  // that are trained, in the order of backward
  std::set<int64_t> started_;    // levels, in this step
};

}  // namespace bert::train
