// The loop of training: steps, and between them what is due: a line of the journal, an evaluation, a
// snapshot.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/pool.h"
#include "data/steps.h"
#include "train/journal.h"
#include "train/learner.h"
#include "train/optimizer.h"
#include "train/schedule.h"
#include "train/snapshot.h"

namespace bert::train {

// When a run is over; without steps and budget, at the end of the data.
struct Extent {
  std::optional<int64_t> steps;
  std::optional<double> budget_s;
  std::optional<int64_t> records;  // to be drawn in all, where that is known: the measure of progress then
};

struct RunOptions {
  Extent extent;
  ScheduleConfig schedule;
  OptimizerConfig optimizer;
  double clip = 1;  // most of the gradient's norm; 0: any
  uint64_t seed = 0;

  int64_t log_every = 10;             // steps between lines of the journal
  int64_t save_every = 1000;          // between snapshots
  std::optional<int64_t> eval_every;  // between evaluations; always one at the end
  bool eval_epochs = false;           // one after each epoch of FILEs, too
  std::optional<std::string> best;    // the dev metric that chooses the model; else the last one is kept
  std::optional<int64_t> patience;    // evaluations in a row without a better `best` after which it ends
  std::optional<std::string> plot;    // path
  bool show_progress = false;
  Settings settings;  // what must agree when the run goes on
};

// What a run works with; all of it outlives the trainer.
struct RunParts {
  Learner& learner;
  data::Steps& data;
  data::RecordSource& source;
  std::function<bool(Learner&)>
      evaluate;  // the dev set, all of it: false when it was interrupted. May be empty
  std::function<void()> save_model;
  Snapshots& snapshots;
  Log& log;
  Pool& pool;
};

class Trainer {
 public:
  Trainer(RunParts parts, const RunOptions& options);

  // Goes on where the snapshot stands. Error when its settings or its data are others.
  void resume(const Snapshot& snapshot);
  // Starts with the moments of another run's snapshot.
  void take_moments(const Snapshot& snapshot);

  // Runs to the end of the extent, or until a signal (base/signals.h) asks for a stop: then a snapshot is
  // written and false returned. Error, after which the last snapshot is still good, when a loss or a gradient
  // is not finite or explodes.
  bool run();

 private:
  using Clock = std::chrono::steady_clock;
  enum class Next { more, ended, stopped };

  Next step();
  bool finished() const;
  bool out_of_patience() const { return options_.patience && state_.stale >= *options_.patience; }
  bool due(std::optional<int64_t> every) const { return every && state_.step % *every == 0; }
  double elapsed_s() const;
  double progress() const;
  double learning_rate() const;
  void check(double loss, double norm) const;
  void add_to_line(const Figures& figures, double norm, int64_t tokens);
  void write_line();
  void warn_of_early_end() const;
  Next evaluate();
  void keep_best(const Figures& figures);
  void snapshot();
  void show_progress();
  void clear_progress();
  std::vector<ParamsToFill> arrays();

  RunParts parts_;
  const RunOptions options_;
  Optimizer optimizer_;
  Schedule schedule_;
  Journal journal_;
  State state_;
  Clock::time_point began_ = Clock::now();
  Clock::time_point shown_;      // when progress was
  int64_t saved_step_ = 0;       // of the last snapshot
  int64_t evaluated_step_ = -1;  // of the last evaluation
  double elapsed_before_s_ = 0;  // in earlier parts of a resumed run
  double rate_ = 0;              // of the last step
  bool epoch_ended_ = false;     // in the last step
};

}  // namespace bert::train
