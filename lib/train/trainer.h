// The training loop: steps, log lines, evaluations and checkpoints.
#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/log.h"
#include "comm/communicator.h"
#include "examples/steps.h"
#include "model/config.h"
#include "model/save.h"
#include "train/dev_set.h"
#include "train/end_notes.h"
#include "train/learner.h"
#include "train/optimizer.h"
#include "train/schedule.h"
#include "train/sharding.h"
#include "train/training_checkpoint.h"
#include "train/training_log.h"
#include "train/written_model.h"

namespace bert::train {

struct CardFacts;

// When to stop. Without steps and budget, at the end of the data.
struct Extent {
  std::optional<int64_t> steps;
  std::optional<double> budget_s;
  std::optional<int64_t> records;  // total to draw, if known; then used to measure progress
};

// As the user asks for it.
struct RunOptions {
  OptimizerConfig optimizer;
  double clip = 1;  // clip gradients to this norm; 0 turns clipping off
  uint64_t seed = 0;

  std::string out;                    // directory for the model
  bool force = false;                 // replace a model that is there and, unless resumed, its checkpoints
  int64_t log_every = 10;             // steps between lines of the training log
  int64_t save_every = 1000;          // steps between checkpoints
  std::optional<int64_t> eval_every;  // steps between evaluations; there is always one at the end
  std::optional<std::string> best;    // dev metric that selects the model; default: keep the last model
  std::optional<int64_t> patience;  // stop after this many evaluations in a row without improvement of `best`
  std::optional<std::string> plot;  // path
};

// A run: its options combined with the model and the data.
struct RunPlan {
  RunOptions options;
  Extent extent;
  ScheduleConfig schedule;
  bool logs_peak_rate = false;  // in the first line, because it is a default
  bool eval_epochs = false;     // also evaluate after each epoch over FILEs
  Settings settings;            // must be equal when the run is resumed
};

// What a run works with. Everything must outlive the trainer.
struct RunParts {
  comm::Communicator& ranks;  // the processes that train the model; all of them call the same methods
  Learner& learner;
  examples::Steps& data;
  examples::RecordSource& source;
  DevSet* dev;  // may be nullptr
  const model::Config& config;
  const model::TokenizerFiles& tokenizer;
  const model::ModuleFiles& modules;
  const CardFacts& card;
  Checkpoints* checkpoints;  // of rank 0, which alone writes; nullptr on the others
  Log& log;
  Log* progress;  // nullptr: show none
};

// The speed of training: seconds for each token, and for each step besides. Measured on these tokens.
struct Pace {
  double token_s = 0, step_s = 0;
  int64_t tokens = 0;
};

class Trainer {
 public:
  Trainer(const RunParts& parts, const RunPlan& plan);

  // Continues from a checkpoint, in the source that continues from its position. Throws Error if settings or
  // data differ.
  void resume(const TrainingCheckpoint& checkpoint, const examples::RecordSource::Continued& continued);
  // Starts with the optimizer moments of another run's checkpoint.
  void take_moments(const TrainingCheckpoint& checkpoint);

  // Trains until done, or until a signal (base/signals.h) requests a stop; then writes a checkpoint and
  // returns false. Throws Error if a loss or gradient is not finite or explodes; the last checkpoint is still
  // good. Other failures, such as those of records or of the training log, leave a checkpoint of the last
  // step.
  bool run();

  // Instead of run(), in one process: measures the speed on the first records.
  Pace pace();

 private:
  using Clock = std::chrono::steady_clock;
  enum class Next { more, ended, stopped };

  bool train();
  void save_after_failure();
  bool stop_requested();
  Next step();
  void agree_on_time();
  bool finished() const;
  bool is_complete() const;  // finished, and its model has been saved
  bool out_of_patience() const;
  bool due(std::optional<int64_t> every) const { return every && state_.step % *every == 0; }
  double elapsed_s() const;
  double progress() const;
  double learning_rate() const;
  void check(float loss, float norm) const;
  void add_to_line(const metric::Values& values, double norm, int64_t tokens);
  void write_line();
  void write_log(const std::function<void()>& write);
  void warn_of_early_end() const;
  Next evaluate();
  Next score_best_again();
  void keep_best(const metric::Values& dev);
  void checkpoint();  // and the plot
  void write_checkpoint();
  void draw_curve() const;
  void save_model();
  bool has_foreign_model();
  void show_progress();
  void clear_progress();

  const RunParts parts_;
  const RunPlan plan_;
  EndNotes notes_;
  Sharding sharding_;
  Optimizer optimizer_;
  Schedule schedule_;
  std::optional<TrainingLog> log_;       // of rank 0
  std::optional<WrittenModel> written_;  // the same
  State state_;
  Clock::time_point began_ = Clock::now();
  Clock::time_point shown_;      // when progress was last shown
  int64_t saved_step_ = 0;       // of the last checkpoint
  std::string checkpoint_;       // that the run was resumed from, or ""
  std::string resumed_from_;     // the same, if the best model is to be evaluated again
  double elapsed_before_s_ = 0;  // before the run was resumed
  double time_s_ = 0;            // elapsed, the same on all ranks
  double rate_ = 0;              // of the last step
  bool says_rate_ = false;       // in the next log line
  bool keeps_model_ = false;     // does not replace the one that is there
  bool epoch_ended_ = false;     // in the last step
  bool changing_ = false;        // the weights, which are then between two steps
  std::exception_ptr log_failure_;
};

}  // namespace bert::train
