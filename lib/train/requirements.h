// What can be refused before any record is read.
#pragma once

#include <string>

#include "base/log.h"
#include "comm/communicator.h"
#include "train/training_plan.h"

namespace bert::train {

// The directory of the checkpoints in an output directory.
std::string checkpoints_of(const std::string& directory);

// Throws Error if the options do not fit the model or the output directory.
void require_possible(const TrainingOptions& options, const InitialModel& initial,
                      const comm::Communicator& ranks, Log& log);

}  // namespace bert::train
