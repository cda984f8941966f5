// Which labels a run learns to tell apart, in which order, and how much each counts.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "data/sentence_example.h"
#include "io/fields.h"
#include "model/config.h"
#include "train/training_task.h"

namespace bert::train {

struct LabelSet {
  std::vector<std::string> names;
  std::vector<float> weights;  // one a label; empty: all 1
  bool of_model = false;       // the model's head stands for these very labels
};

struct LabelQuestion {
  std::string architecture;  // whose labels the model's config lists; "" when the model's are not for this
  // A record's labels; Error when it has none.
  std::function<std::vector<std::string>(const io::Fields&)> of_record;
  std::string field;  // for messages
  // Of names, each once.
  std::function<std::vector<std::string>(std::vector<std::string>)> order = data::in_order;
};

// Labels are the options', else the model's where those of all records are among them, else those of the
// records in the question's order. Only FILEs are looked through: records of a pipe need given labels, or the
// model's.
LabelSet settle_labels(const TrainingTaskOptions& options, const model::Config& config,
                       const Preview& preview, const LabelQuestion& question);

// What of it decides about the bits of a run.
void add_settings(const LabelSet& labels, Settings& settings);

}  // namespace bert::train
