// The part of the training records that becomes the dev set.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/pool.h"
#include "examples/record_source.h"
#include "train/training_plan.h"

namespace bert::train {

// For each record of the FILEs, whether it is in the dev set; nullptr: there is no split. Reads all records.
// All ranks get the same.
std::shared_ptr<const std::vector<bool>> split_of(const TrainingOptions& options, const TrainingPlan& plan,
                                                  Pool& pool, Log& log);

// Writes the records of a dev set that `reader` can read, as JSON. This process must have them all.
void write_records(const examples::RecordSource& dev, const examples::ExampleReader& reader,
                   const std::string& file);

}  // namespace bert::train
