// The labels of a run, their order and their class weights.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "examples/sentence_example.h"
#include "io/record.h"
#include "model/config.h"
#include "train/training_task.h"

namespace bert::train {

struct LabelSet {
  examples::Labels labels{{}};
  std::vector<float> weights;  // one for each label; empty: all 1
  bool balanced = false;       // the weights follow from the records
  bool of_model = false;       // the model's head was trained for exactly these labels
};

struct LabelQuestion {
  std::string architecture;  // use config labels of models with this architecture; "": never
  // Reads a record's labels; throws Error if it has none.
  std::function<std::vector<std::string>(const io::Fields&)> of_record;
  std::string field;  // for messages
  // Sorts distinct names.
  std::function<std::vector<std::string>(std::vector<std::string>)> order = examples::in_order;
};

// Determines the labels: from the options; otherwise from the model, if they include those of all records;
// otherwise from the records, in the question's order. Records are only scanned in regular FILEs, so with a
// pipe the labels must come from the options or the model.
LabelSet settle_labels(const TrainingTaskOptions& options, const model::Config& config,
                       examples::RecordSource& source, const LabelQuestion& question);

// Adds the settings that affect the results of a run.
void add_settings(const LabelSet& set, Settings& settings);

}  // namespace bert::train
