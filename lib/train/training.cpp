#include "train/training.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <tuple>
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
#include "train/settings.h"

namespace bert::train {
namespace {

constexpr const char* kCheckpoints = "checkpoints";  // in the output directory

std::string checkpoints_of(const std::string& directory) {
  return (std::filesystem::path(directory) / kCheckpoints).string();
}

std::string text(const Warmup& warmup) {
  return warmup.share > 0 ? setting(100 * warmup.share) + "%" : setting(warmup.steps);
}

// Settings that affect the results of a run.
Settings settings_of(const TrainingOptions& options, const std::string& model, const TrainingTask& task,
                     const text::Tokenizer& tokenizer) {
  const auto& [run, step] = std::tie(options.run, options.step);
  // If the run is measured in records, the handling of bad records matters.
  const bool by_records = !run.extent.steps && !run.extent.budget_s;
  const bool skips = options.stream.on_error == io::OnError::skip;
  Settings settings = {
      {"--task", std::string(task::name_of(options.task.kind))},
      {"the model", model},
      {"the vocabulary", setting(tokenizer)},
      {"--seed", std::to_string(run.seed)},
      {"--steps", setting(run.extent.steps)},
      {"--epochs", setting(options.source.epochs)},
      {"--budget", setting(run.extent.budget_s)},
      {"--on-error", !by_records ? "not relevant"
                     : skips     ? "skip"
                                 : "stop"},
      {"--max-length", setting(options.max_length)},
      {"--batch-size", step.tokens ? "not set" : setting(step.sequences)},
      {"--batch-tokens", setting(step.tokens)},
      {"--accumulate", setting(step.accumulate)},
      {"--no-shuffle", yes_or_no(options.source.order == examples::SourceOptions::Order::given)},
      {"--shuffle-buffer", setting(options.source.buffer_records)},
      {"--lr", setting(run.schedule.peak)},
      {"--warmup", text(run.schedule.warmup)},
      {"--schedule", std::string(name_of(run.schedule.decay))},
      {"--optimizer", std::string(name_of(run.optimizer.method))},
      {"--beta1", setting(run.optimizer.beta1)},
      {"--beta2", setting(run.optimizer.beta2)},
      {"--epsilon", setting(run.optimizer.epsilon)},
      {"--weight-decay", setting(run.optimizer.weight_decay)},
      {"--layer-decay", setting(run.optimizer.layer_decay)},
      {"--freeze", setting(run.optimizer.frozen)},
      {"--clip", setting(run.clip)},
      {"--dropout", setting(options.dropout)},
      {"--best", run.best.value_or("not set")},
      {"--patience", setting(run.patience)}};
  if (options.dtype == Dtype::bf16) settings.emplace_back("--dtype", "bf16");
  task.add_settings(settings);
  return settings;
}

// Determines the extent of the run, in steps if that is known in advance.
void settle_extent(TrainingOptions& options, const TrainingTask& task, const examples::RecordSource& source) {
  auto& extent = options.run.extent;
  if (extent.steps || extent.budget_s) return;
  if (source.records() == 0) {
    if (options.run.schedule.decay != Decay::constant)
      throw Error(
          "the length of a pipe is unknown, so the learning rate needs --steps or --budget, or --schedule "
          "constant");
    if (options.run.schedule.warmup.share > 0)
      throw Error("the length of a pipe is unknown, so --warmup must be a number of steps");
    return;
  }
  const int64_t records = source.records() * options.source.epochs.value_or(1);
  if (options.step.tokens || options.stream.on_error == io::OnError::skip || task.makes_windows()) {
    extent.records = records;
  } else {
    const int64_t sequences = options.step.sequences * options.step.accumulate;
    extent.steps = (records + sequences - 1) / sequences;
  }
}

// Maximum sequence length in tokens.
int64_t length_of(const TrainingOptions& options) {
  const auto& config = options.config;
  const auto kind = options.task.kind;
  const int64_t longest = kind == task::Task::pretrain
                              ? config.positions
                              : std::min(options.model_length, task::entry(kind).max_length);
  return predict::sequence_limit(options.max_length, longest, config);
}

// Checks that need no input data.
void check(const TrainingOptions& options, const text::Tokenizer& tokenizer) {
  const auto& config = options.config;
  const std::string besides[] = {kCheckpoints};
  namespace fs = std::filesystem;
  if (!options.out.empty()) model::require_output(options.out, besides);
  if (!options.model.empty() && !options.out.empty() && kind_of(options.out) != FileKind::absent &&
      fs::equivalent(options.model, options.out))
    throw Error(options.out, ": contains the model that training starts from; -o must be another directory");
  if (tokenizer.size() > config.vocab_size)
    throw Error("the vocabulary has ", tokenizer.size(), " tokens, the model ", config.vocab_size);
  if (const auto frozen = options.run.optimizer.frozen; frozen > config.layers)
    throw Error("--freeze ", *frozen, ": the model has ", config.layers, " layers");
  if (options.run.plot) require_gnuplot(*options.run.plot);
}

// Columns that a table of training records must have. Throws Error if one is missing.
void check_columns(const TrainingOptions& options, const std::vector<std::string>& columns) {
  using enum task::Task;
  const auto& task = options.task;
  const auto has = [&](const std::string& name) { return std::ranges::find(columns, name) != columns.end(); };
  std::vector<std::string> needed;
  if (task.kind == classify || task.kind == regress || task.kind == multilabel) {
    if (!has("input_ids")) needed.push_back(task.features.text_field);
    needed.push_back(task.gold_field());
    if (options.pair_field_given) needed.push_back(task.features.pair_field);
  }
  for (const auto& name : needed) {
    if (has(name)) continue;
    std::string found;
    for (const auto& column : columns) found += (found.empty() ? "" : ", ") + json::in_quotes(column);
    throw Error("has no column ", json::in_quotes(name), "; the columns are ", found);
  }
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

  // Counts of the first epoch.
  int64_t records() const { return records_; }
  int64_t truncated() const { return truncated_; }
  int64_t pairs() const { return pairs_; }

 private:
  const std::unique_ptr<examples::ExampleReader> reader_;
  const model::Config& config_;
  const std::string pair_field_;
  mutable std::atomic<int64_t> records_ = 0, truncated_ = 0, pairs_ = 0;
};

void report(const ReadableReader& reader, const TrainingOptions& options, Log& log) {
  if (const auto cut = reader.truncated(); cut > 0)
    log.warn(counted(cut, "record was", "records were") + " truncated");
  if (options.pair_field_given && reader.pairs() == 0 && reader.records() > 0) {
    log.warn("no record has the field " + json::in_quotes(options.stream.pair_field) +
             " of --pair-field: " + std::to_string(reader.records()) + " records were read as single texts");
  }
}

// Loads options.model. Returns the names of the parameters that it does not have.
std::vector<std::string> load(model::TrainingNetwork& network, const TrainingTask& task,
                              const TrainingOptions& options) {
  const auto head = task.heads().classifier;
  const auto replaced = head && !task.keeps_head() ? head->name + "." : "";
  return network.load(ckpt::Checkpoint::open(options.model), replaced);
}

void start(model::TrainingNetwork& network, const TrainingTask& task, const TrainingOptions& options,
           Pool& pool, Log& log) {
  model::initialize(network.parameters(), network.config().init_range, options.run.seed, options.positions,
                    pool);
  if (options.positions == model::PositionStart::neighbours)
    model::look_at_neighbours(network.parameters(), network.config().heads);
  if (!options.model.empty()) {
    for (const auto& name : load(network, task, options))
      log.warn(options.model + " has no " + name + ": initialized with random numbers");
  }
  network.refresh();
}

Preview preview_of(examples::RecordSource& source) {
  Preview preview;
  preview.first = [&source](const examples::RecordSource::Use& use) { source.peek(use); };
  if (source.records() > 0)
    preview.all = [&source](const examples::RecordSource::Use& use) { source.each(use); };
  return preview;
}

// A requested dropout rate is stored in the model's config.
void settle_model(TrainingOptions& options, const text::Tokenizer& tokenizer) {
  auto& config = options.config;
  config.pad_id = tokenizer.pad();
  if (options.dropout)
    config.hidden_dropout = config.attention_dropout = config.classifier_dropout = *options.dropout;
  options.run.schedule.peak = options.rate.value_or(task::default_rate(options.task.kind, config.hidden));
  options.run.default_rate = !options.rate.has_value();
  options.task.features.max_length = length_of(options);
  options.task.seed = options.source.seed = options.run.seed;
}

// --steps 0: evaluates the model on the dev set. Writes nothing but the training log.
bool evaluate(const TrainingOptions& options, TrainingTask& task, Pool& pool, Log& log) {
  auto stream = options.stream;
  stream.files = {options.dev};
  const auto source = examples::open_records(stream, options.source, log);
  task.prepare(preview_of(*source));
  auto reader = std::make_unique<ReadableReader>(task.make_dev_reader(options.dev), options.config,
                                                 options.stream.pair_field);
  const auto& counts = *reader;
  DevSet dev(options.stream, options.dev, std::move(reader), log);
  model::Config config = options.config;
  task.describe(config);
  model::TrainingNetwork network(config, task.heads(), pool, *options.dtype);
  const auto learner = task.make_learner(network, model::TrainingNetwork::Keep::activations);
  if (options.model.empty()) throw Error("--steps 0 evaluates a trained model: use -m DIR");
  const auto missing = load(network, task, options);
  if (!missing.empty() || (task.heads().classifier && !task.keeps_head()))
    throw Error(options.model, ": was not trained for --task ", task::name_of(options.task.kind),
                missing.empty() ? "" : ", it has no " + missing.front());
  network.refresh();
  learner->begin_evaluation();
  if (!dev.evaluate(*learner, options.run.show_progress ? &log : nullptr)) return false;
  if (options.run.show_progress) log.progress("");
  TrainingLog training_log;
  training_log.write_dev(0, learner->end_evaluation());
  training_log.commit();
  report(counts, options, log);
  return true;
}

void check_best(const TrainingOptions& options, const TrainingTask& task) {
  if (!options.run.best) return;
  std::string known;
  for (const auto& name : task.metrics()) {
    if (name == *options.run.best) return;
    known += (known.empty() ? "" : ", ") + name;
  }
  throw Error("--best ", *options.run.best, ": the metrics of this task are ", known);
}

}  // namespace

bool train(TrainingOptions options, const text::Tokenizer& tokenizer, Pool& pool, Log& log) {
  check(options, tokenizer);
  options.dtype = nn::arithmetic(options.dtype);
  log.info("the encoder multiplies " + nn::arithmetic_name(*options.dtype) + ", " + predict::version());
  const auto model_setting = setting(options.config);
  settle_model(options, tokenizer);
  const auto task = make_training_task(options.task, tokenizer, options.config);
  const auto tokenizer_files =
      model::tokenizer_files(tokenizer, options.tokenizer_source, *options.task.features.max_length);

  options.stream.check_columns = [&options](const std::vector<std::string>& columns) {
    check_columns(options, columns);
  };
  if (!options.rate)
    log.info("peak learning rate " + setting(options.run.schedule.peak) + ", the default for " +
             std::string(task::name_of(options.task.kind)) + " with hidden size " +
             setting(options.config.hidden));
  if (options.run.extent.steps == 0) return evaluate(options, *task, pool, log);
  options.source.interrupted = StopOnSignal::requested;
  if (!options.run.extent.steps && !options.run.extent.budget_s && io::can_read_again(options.stream.files))
    options.source.epochs = options.source.epochs.value_or(1);
  const auto source = examples::open_records(options.stream, options.source, log);
  settle_extent(options, *task, *source);
  Checkpoints checkpoints(checkpoints_of(options.out), options.keep, log);
  const auto last = checkpoints.last();
  if (last && !options.resume)
    throw Error(options.out, ": contains a run of ", last->state().step,
                " steps: continue it with --resume, or write to another directory with -o");

  task->prepare(preview_of(*source));
  if (StopOnSignal::requested()) return false;
  options.run.settings = settings_of(options, model_setting, *task, tokenizer);
  check_best(options, *task);
  const auto readable = [&](std::unique_ptr<examples::ExampleReader> reader) {
    return std::make_unique<ReadableReader>(std::move(reader), options.config, options.stream.pair_field);
  };
  std::optional<DevSet> dev;
  if (!options.dev.empty())
    dev.emplace(options.stream, options.dev, readable(task->make_dev_reader(options.dev)), log);
  const auto reader = readable(task->make_reader());
  examples::Steps steps(*source, *reader, options.step);

  model::Config config = options.config;
  task->describe(config);
  model::TrainingNetwork network(config, task->heads(), pool, *options.dtype);
  network.freeze(options.run.optimizer.frozen);
  using Keep = model::TrainingNetwork::Keep;
  const auto learner = task->make_learner(network, options.recompute ? Keep::inputs : Keep::activations);
  Log* const progress = options.run.show_progress ? &log : nullptr;
  Trainer trainer(
      {.learner = *learner,
       .data = steps,
       .source = *source,
       .evaluate =
           dev ? [&](Learner& l) { return dev->evaluate(l, progress); } : std::function<bool(Learner&)>(),
       .save_model =
           [&] { model::save(options.out, network.config(), tokenizer_files, network.parameters()); },
       .write_model =
           [&](OutputDirectory& output) {
             return model::save(output, network.config(), tokenizer_files, network.parameters());
           },
       .checkpoints = checkpoints,
       .log = log,
       .pool = pool},
      options.run);
  if (last) {
    trainer.resume(*last);
  } else {
    start(network, *task, options, pool, log);
    if (options.moments) {
      const auto other = is_checkpoint(options.model) ? std::optional(TrainingCheckpoint(options.model))
                                                      : last_checkpoint(checkpoints_of(options.model), log);
      if (!other) throw Error(options.model, ": has no checkpoint with the optimizer's moments");
      trainer.take_moments(*other);
    }
  }
  const bool ended = trainer.run();
  source->report_skipped();
  report(*reader, options, log);
  return ended;
}

}  // namespace bert::train
