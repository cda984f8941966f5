// How a model is trained: the options combined with the initial model and, in the RunPlan, with the records.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/dtype.h"
#include "comm/communicator.h"
#include "examples/record_source.h"
#include "examples/split.h"
#include "examples/steps.h"
#include "io/stream.h"
#include "model/config.h"
#include "model/initialize.h"
#include "model/sentence_transformers.h"
#include "text/tokenizer.h"
#include "train/trainer.h"
#include "train/training_task.h"

namespace bert::train {

constexpr int64_t kAllLayers = std::numeric_limits<int64_t>::max();  // for OptimizerConfig::frozen

// What the user says for the card of the model; "" and none: what it already has is kept.
struct CardOptions {
  std::string license;                 // as the Hub names it: "apache-2.0"
  std::vector<std::string> languages;  // codes: "en"
  std::string command;                 // that trains the model
};

// What the user asks for. If not set, the default depends on the task.
struct TrainingOptions {
  TrainingTaskOptions task;  // without those that the plan sets

  // Model.
  model::PositionStart positions = model::PositionStart::normal;  // of a new model
  bool causal = false;           // make the attention causal, see Config::causal
  bool weighted_layers = false;  // the head reads a weighted sum of all layers, see Config::weighted_layers
  bool moments = false;          // start with the optimizer moments of the initial model's last checkpoint
  std::optional<float> dropout;  // overrides all dropout rates of the config
  bool recompute = false;        // less memory, a third more compute
  std::optional<Dtype> dtype = Dtype::f32;  // format of matrix products: f32 or bf16, see nn::arithmetic

  // Data.
  io::StreamOptions stream;
  bool pair_field_given = false;  // whether the user named stream.pair_field
  // Written with the model, see model::Config::kept_options.
  std::vector<std::pair<std::string, std::string>> kept_options;
  CardOptions card;
  std::string dev;               // a file, or ""
  examples::SplitOptions split;  // instead: training records that are held out
  std::optional<int64_t> max_length;
  std::optional<int64_t> batch_size, batch_tokens;
  int64_t accumulate = 1;
  bool in_order = false;  // do not shuffle
  int64_t shuffle_buffer = examples::SourceOptions().buffer_records;

  // Schedule. At most one of the first three is set; 0 steps only evaluate the model.
  std::optional<int64_t> steps, epochs;
  std::optional<double> budget_s;
  std::optional<double> rate;  // peak
  std::optional<Warmup> warmup;
  Decay decay = Decay::linear;

  RunOptions run;
  int64_t keep = 2;  // number of checkpoints to keep
  bool resume = false;
  std::string held_out;      // file for the records of the split; "": none
  bool baseline = false;     // also measures predictions without a network
  bool only_checks = false;  // everything before the first step, then writes a report in stream.format

  bool reads_stdin() const;
  bool has_dev() const { return !dev.empty() || split.any(); }
  std::string dev_name() const { return dev.empty() ? "held-out records" : dev; }
  // Whether the length of the input is unknown and nothing else ends the run.
  bool endless() const { return reads_stdin() && !steps && !budget_s; }
};

// The model that training starts from.
struct InitialModel {
  std::string path;  // of its directory; "": a new model with random parameters
  model::Config config;
  int64_t max_length = 512;      // maximum sequence length in tokens, from the model's files
  std::string tokenizer_source;  // where `tokenizer` was loaded from
  text::Tokenizer tokenizer;
  model::SentenceTransformer sentence = {};  // pooling and modules of its directory
};

// What is known before records are read.
struct TrainingPlan {
  model::Config config;  // of the model to train; its purpose is added by TrainingTask::describe
  Dtype dtype = Dtype::f32;
  TrainingTaskOptions task;
  io::StreamOptions stream;
  examples::SourceOptions source;
  examples::StepOptions step;
  ScheduleConfig schedule;
};

// `dtype`: of the options, or chosen for this machine. The options must outlive the plan. Throws Error if the
// model cannot read sequences of the requested length. `ranks` read the records.
TrainingPlan plan_training(const TrainingOptions& options, const InitialModel& initial, Dtype dtype,
                           comm::Communicator& ranks);

// Throws Error if the schedule needs the length of the input, which is unknown for a pipe.
void require_length(const TrainingOptions& options, const TrainingPlan& plan);

// `task` must be prepared. `records`: to draw in all epochs over FILEs; 0 for a pipe. `processes`: number of
// ranks. Throws Error if the task does not have the metric of --best.
RunPlan plan_run(const TrainingOptions& options, const InitialModel& initial, const TrainingPlan& plan,
                 const TrainingTask& task, int64_t records, int processes);
void warn_of_warmup(const RunPlan& plan, Log& log);

}  // namespace bert::train
