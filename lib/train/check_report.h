// The report of a run that only checks its records: what they are like, and what training will need.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "train/data_report.h"
#include "train/trainer.h"
#include "train/training_plan.h"

namespace bert::train {

struct CheckedRun {
  const TrainingPlan& plan;
  const RunPlan& run;
  const model::Config& config;
  const CheckedSet& train;
  const CheckedSet* dev;     // nullptr: there is none
  std::optional<Pace> pace;  // nullopt: unknown
  std::span<const Baseline> baselines;
};

// Writes it to stdout, as an object or as text. The estimate of the memory begins with the most that the
// process has had, so the pace must be measured in it.
void write_report(const CheckedRun& run, io::Format format);

}  // namespace bert::train
