// The part of the training records that becomes the dev set.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/pool.h"
#include "examples/record_source.h"
#include "train/training_plan.h"

namespace bert::train {

struct Split {
  std::shared_ptr<const std::vector<bool>> dev;  // for each record of the FILEs; nullptr: there is no split
  std::set<std::string> labels;                  // of all records, if the task has labels
};

// The records that are split, without notes on their files.
std::unique_ptr<examples::RecordSource> whole_of(const TrainingPlan& plan, Log& log);

// Reads all records. All ranks get the same.
Split split_of(const TrainingOptions& options, const TrainingPlan& plan, Pool& pool, Log& log);

// Writes the records of a dev set that are not left out, as JSON. This process must have them all.
void write_records(const examples::RecordSource& dev, const std::string& file);

}  // namespace bert::train
