// A complete training run: its inputs, the model, and its outputs.
#pragma once

#include "base/log.h"
#include "base/pool.h"
#include "train/training_plan.h"

namespace bert::train {

// Trains, writes the model to options.run.out and returns true. If a signal requests a stop, writes a
// checkpoint and returns false. With 0 steps, only evaluates the model on the dev set: returns false if
// interrupted.
bool train(const TrainingOptions& options, const InitialModel& initial, Pool& pool, Log& log);

}  // namespace bert::train
