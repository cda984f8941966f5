// A complete training run: its inputs, the model, and its outputs.
#pragma once

#include "base/log.h"
#include "base/pool.h"
#include "comm/communicator.h"
#include "train/training_plan.h"

namespace bert::train {

// Trains, writes the model to options.run.out and returns true. If a signal requests a stop, writes a
// checkpoint and returns false. With 0 steps, only evaluates the model on the dev set: returns false if
// interrupted. `ranks`: the processes that train the model together, each with the same options. Rank 0 alone
// writes.
bool train(const TrainingOptions& options, const InitialModel& initial, comm::Communicator& ranks, Pool& pool,
           Log& log);

}  // namespace bert::train
