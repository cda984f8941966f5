// The labels of a run, their order and their class weights.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "examples/example.h"
#include "examples/labels.h"
#include "examples/sentence_example.h"
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
  std::string field;         // for messages
  // Makes a reader of records with these labels, which outlive it.
  std::function<std::unique_ptr<examples::ExampleReader>(const examples::Labels&)> reader_of;
  // Sorts distinct names.
  std::function<std::vector<std::string>(std::vector<std::string>)> order = examples::in_order;
};

// Checks the records and determines the labels: from the options; otherwise from the model, if they include
// those of all records; otherwise from the records, in the question's order. The records of a pipe are not
// all known, so its labels must come from the options or the model. Returns nullopt if the check was
// interrupted.
std::optional<LabelSet> settle_labels(const TrainingTaskOptions& options, const model::Config& config,
                                      const Preparation& preparation, const LabelQuestion& question);

// The labels of a model that is only evaluated. Throws Error if those of the options differ. Without the
// question's architecture, the model was trained for another task, and of_model is false.
LabelSet labels_of_model(const TrainingTaskOptions& options, const model::Config& config,
                         const LabelQuestion& question);

// Adds the settings that affect the results of a run.
void add_settings(const LabelSet& set, Settings& settings);

// Where the examples have their labels from.
examples::SoftLabels soft_labels_of(const TrainingTaskOptions& options);
void add_soft_labels(const TrainingTaskOptions& options, Settings& settings);

}  // namespace bert::train
