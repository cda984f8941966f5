// What a run says of itself in the card of its model.
#pragma once

#include <cstdint>
#include <string>

#include "comm/communicator.h"
#include "model/config.h"
#include "train/training_checkpoint.h"
#include "train/training_plan.h"

namespace bert::train {

struct CardFacts {
  const TrainingOptions& options;
  const InitialModel& initial;
  const TrainingPlan& plan;
  const model::Config& config;  // of the model that is written
  int64_t records = 0;          // 0: of a pipe
  int64_t dev_records = 0;      // 0: no dev set
};

// The card of the model in `state`: the same for a run that was resumed, and for any number of threads; with
// what is not ours in the one that is there.
std::string model_card(const CardFacts& facts, const State& state);

}  // namespace bert::train
