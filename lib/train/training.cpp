#include "train/training.h"

#include <atomic>
#include <filesystem>
#include <memory>
#include <utility>

#include "base/error.h"
#include "base/file.h"
#include "base/gnuplot.h"
#include "base/signals.h"
#include "ckpt/checkpoint.h"
#include "json/json.h"
#include "model/save.h"
#include "model/training_network.h"
#include "nn/panels.h"
#include "predict/batches.h"
#include "predict/version.h"
#include "train/dev_set.h"

namespace bert::train {
namespace {

using Keep = model::TrainingNetwork::Keep;

constexpr const char* kCheckpoints = "checkpoints";  // in the output directory

std::string checkpoints_of(const std::string& directory) {
  return (std::filesystem::path(directory) / kCheckpoints).string();
}

// Checks that need no input data.
void check(const TrainingOptions& options, const InitialModel& initial) {
  const std::string besides[] = {kCheckpoints};
  const auto& out = options.run.out;
  if (!out.empty()) model::require_output(out, besides);
  if (!initial.path.empty() && !out.empty() && kind_of(out) != FileKind::absent &&
      std::filesystem::equivalent(initial.path, out))
    throw Error(out, ": contains the model that training starts from; -o must be another directory");
  if (initial.tokenizer.size() > initial.config.vocab_size)
    throw Error("the vocabulary has ", initial.tokenizer.size(), " tokens, the model ",
                initial.config.vocab_size);
  if (const auto frozen = options.run.optimizer.frozen; frozen > initial.config.layers)
    throw Error("--freeze ", *frozen, ": the model has ", initial.config.layers, " layers");
  if (options.run.plot) require_gnuplot(*options.run.plot);
}

// Reports sequences the network cannot read as errors of their record. Counts truncated records, and those
// with the second text of a pair.
class ReadableReader final : public examples::ExampleReader {
 public:
  ReadableReader(std::unique_ptr<examples::ExampleReader> reader, const model::Config& config,
                 std::string pair_field)
      : reader_(std::move(reader)), config_(config), pair_field_(std::move(pair_field)) {}

  void read(const io::Fields& fields, const io::Record& record, int64_t epoch,
            examples::Examples& examples) const override {
    const size_t before = examples.size();
    reader_->read(fields, record, epoch, examples);
    for (size_t i = before; i < examples.size(); ++i) {
      for (const auto& [ids, types] : examples[i]->sequences())
        predict::require_readable(ids, types, config_);
    }
    if (epoch > 0) return;
    ++records_;
    if (examples.size() > before && examples[before]->truncated) ++truncated_;
    if (fields.json(pair_field_) || fields.text(pair_field_)) ++pairs_;
  }
  void check(const examples::Example& example) override { reader_->check(example); }

  // Warns of what the first epoch had.
  void report(const TrainingOptions& options, Log& log) const {
    if (truncated_ > 0) log.warn(counted(truncated_, "record was", "records were") + " truncated");
    if (options.pair_field_given && pairs_ == 0 && records_ > 0) {
      log.warn("no record has the field " + json::in_quotes(pair_field_) +
               " of --pair-field: " + std::to_string(records_) + " records were read as single texts");
    }
  }

 private:
  const std::unique_ptr<examples::ExampleReader> reader_;
  const model::Config& config_;
  const std::string pair_field_;
  mutable std::atomic<int64_t> records_ = 0, truncated_ = 0, pairs_ = 0;  // of the first epoch
};

// The options with all that follows from them before records are read.
class Training {
 public:
  Training(const TrainingOptions& options, const InitialModel& initial, Dtype dtype, Pool& pool, Log& log);

  // Both return false if interrupted.
  bool run();
  bool evaluate();  // writes nothing but the training log

 private:
  std::unique_ptr<ReadableReader> readable(std::unique_ptr<examples::ExampleReader> reader) const {
    return std::make_unique<ReadableReader>(std::move(reader), plan_.config, plan_.stream.pair_field);
  }

  std::optional<TrainingCheckpoint> last_of(const Checkpoints& checkpoints) const {
    auto last = checkpoints.last();
    if (last && !options_.resume)
      throw Error(options_.run.out, ": contains a run of ", last->state().step,
                  " steps: continue it with --resume, or write to another directory with -o");
    return last;
  }

  model::TrainingNetwork make_network() const {
    model::Config config = plan_.config;
    task_->describe(config);
    return {config, task_->heads(), pool_, plan_.dtype};
  }

  // Loads the initial model. Returns the names of the parameters that it does not have.
  std::vector<std::string> load(model::TrainingNetwork& network) const {
    const auto head = task_->heads().classifier;
    const auto replaced = head && !task_->keeps_head() ? head->name + "." : "";
    return network.load(ckpt::Checkpoint::open(initial_.path), replaced);
  }

  void initialize(model::TrainingNetwork& network) const {
    model::initialize(network.parameters(), network.config().init_range, options_.run.seed,
                      options_.positions, pool_);
    if (options_.positions == model::PositionStart::neighbours)
      model::look_at_neighbours(network.parameters(), network.config().heads);
    if (!initial_.path.empty()) {
      for (const auto& name : load(network))
        log_.warn(initial_.path + " has no " + name + ": initialized with random numbers");
    }
    network.refresh();
  }

  void take_moments(Trainer& trainer) const {
    const auto other = is_checkpoint(initial_.path) ? std::optional(TrainingCheckpoint(initial_.path))
                                                    : last_checkpoint(checkpoints_of(initial_.path), log_);
    if (!other) throw Error(initial_.path, ": has no checkpoint with the optimizer's moments");
    trainer.take_moments(*other);
  }

  Log* progress() const { return io::shows_progress(plan_.stream, log_) ? &log_ : nullptr; }

  const TrainingOptions& options_;
  const InitialModel& initial_;
  Pool& pool_;
  Log& log_;
  const TrainingPlan plan_;
  const std::unique_ptr<TrainingTask> task_;
  const model::TokenizerFiles tokenizer_files_;
};

Training::Training(const TrainingOptions& options, const InitialModel& initial, Dtype dtype, Pool& pool,
                   Log& log)
    : options_(options),
      initial_(initial),
      pool_(pool),
      log_(log),
      plan_(plan_training(options, initial, dtype)),
      task_(make_training_task({plan_.task, initial.tokenizer, plan_.config})),
      tokenizer_files_(model::tokenizer_files(initial.tokenizer, initial.tokenizer_source,
                                              *plan_.task.features.max_length)) {
  if (!options.rate)
    log.info("peak learning rate " + setting(plan_.schedule.peak) + ", the default for " +
             std::string(task::name_of(options.task.kind)) + " with hidden size " +
             setting(plan_.config.hidden));
}

bool Training::run() {
  const auto source = examples::open_records(plan_.stream, plan_.source, log_);
  if (source->records() == 0) require_length(options_, plan_);
  Checkpoints checkpoints(checkpoints_of(options_.run.out), options_.keep, log_);
  const auto last = last_of(checkpoints);
  task_->prepare(*source);
  if (StopOnSignal::requested()) return false;
  const RunPlan plan = plan_run(options_, initial_, plan_, *task_, source->records());

  std::optional<DevSet> dev;
  if (!options_.dev.empty())
    dev.emplace(plan_.stream, options_.dev, readable(task_->make_dev_reader(options_.dev)), log_);
  const auto reader = readable(task_->make_reader());
  examples::Steps steps(*source, *reader, plan_.step);
  auto network = make_network();
  network.freeze(options_.run.optimizer.frozen);
  const auto learner = task_->make_learner(network, options_.recompute ? Keep::inputs : Keep::activations);
  Trainer trainer({.learner = *learner,
                   .data = steps,
                   .source = *source,
                   .dev = dev ? &*dev : nullptr,
                   .config = network.config(),
                   .tokenizer = tokenizer_files_,
                   .checkpoints = checkpoints,
                   .log = log_,
                   .progress = progress()},
                  plan);
  if (last) {
    trainer.resume(*last);
  } else {
    initialize(network);
    if (options_.moments) take_moments(trainer);
  }
  const bool ended = trainer.run();
  source->report_skipped();
  reader->report(options_, log_);
  return ended;
}

bool Training::evaluate() {
  auto stream = plan_.stream;
  stream.files = {options_.dev};
  const auto source = examples::open_records(stream, plan_.source, log_);
  task_->prepare(*source);
  auto reader = readable(task_->make_dev_reader(options_.dev));
  const auto& counts = *reader;
  DevSet dev(plan_.stream, options_.dev, std::move(reader), log_);
  auto network = make_network();
  const auto learner = task_->make_learner(network, Keep::activations);
  if (initial_.path.empty()) throw Error("--steps 0 evaluates a trained model: use -m DIR");
  const auto missing = load(network);
  if (!missing.empty() || (task_->heads().classifier && !task_->keeps_head()))
    throw Error(initial_.path, ": was not trained for --task ", task::name_of(options_.task.kind),
                missing.empty() ? "" : ", it has no " + missing.front());
  network.refresh();
  const auto figures = dev.evaluate(*learner, progress());
  if (!figures) return false;
  if (progress()) log_.progress("");
  TrainingLog training_log;
  training_log.write_dev(0, *figures);
  training_log.commit();
  counts.report(options_, log_);
  return true;
}

}  // namespace

bool train(const TrainingOptions& options, const InitialModel& initial, Pool& pool, Log& log) {
  check(options, initial);
  const Dtype dtype = nn::arithmetic(options.dtype);
  log.info("the encoder multiplies " + nn::arithmetic_name(dtype) + ", " + predict::version());
  Training training(options, initial, dtype, pool, log);
  return options.steps == 0 ? training.evaluate() : training.run();
}

}  // namespace bert::train
