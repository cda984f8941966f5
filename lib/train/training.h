// A run of training from its files to its files: what is read, what learns, where it is written.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/dtype.h"
#include "base/log.h"
#include "base/pool.h"
#include "data/record_source.h"
#include "data/steps.h"
#include "io/stream.h"
#include "model/config.h"
#include "model/initialize.h"
#include "text/tokenizer.h"
#include "train/trainer.h"
#include "train/training_task.h"

namespace bert::train {

struct TrainingOptions {
  TrainingTaskOptions task;

  // What learns: the model in a directory, else new parameters of this shape.
  std::string model;
  model::Config config;               // of `model`, or of the new one
  int64_t model_length = 512;         // tokens of a sequence, as the model's files have it
  std::optional<int64_t> max_length;  // as asked for
  std::optional<float> dropout;       // instead of all of the config's
  model::PositionStart positions = model::PositionStart::normal;
  bool moments = false;                     // with the moments of the last snapshot of `model`
  bool recompute = false;                   // less memory, a third more work
  std::optional<Dtype> dtype = Dtype::f32;  // of what products multiply: f32 or bf16, as nn::arithmetic

  // What it learns from.
  io::StreamOptions stream;
  std::string dev;  // a file, or ""
  data::SourceOptions source;
  data::StepOptions step;

  // How, and where to.
  RunOptions run;
  std::string out;
  std::string tokenizer_source;  // where `tokenizer` was loaded from
  int64_t keep = 2;              // snapshots
  bool resume = false;
};

// Trains, writes the model to options.out and returns true; false when a signal asked for a stop, after which
// a snapshot is there. Error as everywhere.
bool train(TrainingOptions options, const text::Tokenizer& tokenizer, Pool& pool, Log& log);

}  // namespace bert::train
