// Losses of sequences, whose sum over all ranks has the same bits for any number of ranks.
#pragma once

#include <cstdint>
#include <string>

#include "comm/communicator.h"
#include "nn/losses.h"

namespace bert::train {

// `sequence`: its number among those of all ranks.
void append_loss(std::string& own, uint64_t sequence, double loss);

// Adds what each rank has appended, in the order of the sequences, and counts them.
nn::Loss sum_of_losses(comm::Communicator& ranks, const std::string& own);

}  // namespace bert::train
