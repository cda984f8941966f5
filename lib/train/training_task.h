// What a run learns: which heads its model gets, how its records become examples, and what goes down.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "data/example.h"
#include "data/record_source.h"
#include "model/config.h"
#include "model/training_network.h"
#include "train/learner.h"
#include "train/snapshot.h"

namespace bert::train {

// The records a run is to learn from, to look at before anything is made.
struct Preview {
  using Look = std::function<void(const data::RecordSource::Use&)>;
  Look first;  // shows a good one near the beginning, if there is one
  Look all;    // shows each good one; empty when they come from a pipe
};

// Made for the command line's options, then told of the records by prepare(), which comes before all else.
// The tokenizer and the configuration it is made with outlive it; it outlives its readers and learners.
class TrainingTask {
 public:
  virtual ~TrainingTask() = default;

  // What it must know of the records: their labels, or whether they have any. Error when it cannot be known.
  virtual void prepare(const Preview& preview) = 0;

  // Options of its own that decide about the bits of a run.
  virtual void add_settings(Settings& settings) const = 0;

  // Names of the figures its learner measures on a dev set, for --best.
  virtual std::vector<std::string> metrics() const = 0;

  virtual model::TrainingNetwork::Heads heads() const = 0;
  // Writes down what the model is for: architectures, labels, problem_type.
  virtual void settle(model::Config& config) const = 0;
  // Whether the head of the model that training begins with is for the same, and goes on learning.
  virtual bool keeps_head() const { return false; }

  virtual std::unique_ptr<data::ExampleReader> make_reader() const = 0;
  // Of the dev set in `path`: may keep in its examples what only evaluation needs.
  virtual std::unique_ptr<data::ExampleReader> make_dev_reader(const std::string& path) const = 0;
  virtual std::unique_ptr<Learner> make_learner(model::TrainingNetwork& network,
                                                model::TrainingNetwork::Keep keep) const = 0;
};

}  // namespace bert::train
