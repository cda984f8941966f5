// A complete training run: its inputs, the model, and its outputs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/dtype.h"
#include "base/log.h"
#include "base/pool.h"
#include "examples/record_source.h"
#include "examples/steps.h"
#include "io/stream.h"
#include "model/config.h"
#include "model/initialize.h"
#include "text/tokenizer.h"
#include "train/trainer.h"
#include "train/training_task.h"

namespace bert::train {

struct TrainingOptions {
  TrainingTaskOptions task;

  // The model to train: the one in `model`, or new parameters with this configuration.
  std::string model;
  model::Config config;               // of `model`, or of the new model
  int64_t model_length = 512;         // maximum sequence length in tokens, from the model's files
  std::optional<int64_t> max_length;  // as requested
  std::optional<float> dropout;       // overrides all dropout rates of the config
  std::optional<double> rate;         // peak learning rate; default: default_rate
  model::PositionStart positions = model::PositionStart::normal;
  bool moments = false;    // start with the optimizer moments of the last checkpoint of `model`
  bool recompute = false;  // less memory, a third more compute
  std::optional<Dtype> dtype = Dtype::f32;  // format of matrix products: f32 or bf16, see nn::arithmetic

  // Data.
  io::StreamOptions stream;
  bool pair_field_given = false;  // whether the user named stream.pair_field
  std::string dev;                // a file, or ""
  examples::SourceOptions source;
  examples::StepOptions step;

  // Run and output.
  RunOptions run;
  std::string out;
  std::string tokenizer_source;  // where `tokenizer` was loaded from
  int64_t keep = 2;              // number of checkpoints to keep
  bool resume = false;
};

// Trains, writes the model to options.out and returns true. If a signal requests a stop, writes a checkpoint
// and returns false. With 0 steps, only evaluates the model on the dev set: returns false if interrupted.
bool train(TrainingOptions options, const text::Tokenizer& tokenizer, Pool& pool, Log& log);

}  // namespace bert::train
