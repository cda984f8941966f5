#include "train/training.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "base/file.h"
#include "base/signals.h"
#include "ckpt/checkpoint.h"
#include "data/answer_windows.h"
#include "model/save.h"
#include "model/training_network.h"
#include "nn/panels.h"
#include "task/batches.h"
#include "train/dev_set.h"
#include "train/plot.h"
#include "train/settings.h"

namespace bert::train {
namespace {

constexpr const char* kSnapshots = "snapshots";  // in the output directory

std::string snapshots_of(const std::string& directory) {
  return (std::filesystem::path(directory) / kSnapshots).string();
}

std::string text(const Warmup& warmup) {
  return warmup.share > 0 ? setting(100 * warmup.share) + "%" : setting(warmup.steps);
}

const char* name_of(Decay decay) {
  switch (decay) {
    case Decay::linear:
      return "linear";
    case Decay::cosine:
      return "cosine";
    case Decay::constant:
      return "constant";
    case Decay::google:
      break;
  }
  return "google";
}

const char* name_of(Method method) {
  return method == Method::adamw ? "adamw" : method == Method::lamb ? "lamb" : "google";
}

// What decides about the bits of a run.
Settings settings_of(const TrainingOptions& options, const std::string& model, const TrainingTask& task,
                     const text::Tokenizer& tokenizer) {
  const auto& [run, step] = std::tie(options.run, options.step);
  // Where records are the measure, it matters whether some are left out.
  const bool by_records = !run.extent.steps && !run.extent.budget_s;
  const bool skips = options.stream.on_error == io::OnError::skip;
  Settings settings = {{"--task", std::string(name_of(options.task.kind))},
                       {"the model", model},
                       {"the vocabulary", setting(tokenizer)},
                       {"--seed", std::to_string(run.seed)},
                       {"--steps", setting(run.extent.steps)},
                       {"--epochs", setting(options.source.epochs)},
                       {"--budget", setting(run.extent.budget_s)},
                       {"--on-error", !by_records ? "of no matter"
                                      : skips     ? "skip"
                                                  : "stop"},
                       {"--max-length", setting(options.max_length)},
                       {"--batch-size", step.tokens ? "not set" : setting(step.sequences)},
                       {"--batch-tokens", setting(step.tokens)},
                       {"--accumulate", setting(step.accumulate)},
                       {"--no-shuffle", yes_or_no(options.source.order == data::SourceOptions::Order::given)},
                       {"--shuffle-buffer", setting(options.source.buffer_records)},
                       {"--lr", setting(run.schedule.peak)},
                       {"--warmup", text(run.schedule.warmup)},
                       {"--schedule", name_of(run.schedule.decay)},
                       {"--optimizer", name_of(run.optimizer.method)},
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

// The run's measure: a number of steps where that can be known before.
void settle_extent(TrainingOptions& options, const TrainingTask& task, const data::RecordSource& source) {
  auto& extent = options.run.extent;
  if (extent.steps || extent.budget_s) return;
  if (source.records() == 0) {
    if (options.run.schedule.decay != Decay::constant)
      throw Error(
          "a pipe has no known length: --steps or --budget must say when the learning rate is to be 0, "
          "or --schedule constant that it is not");
    if (options.run.schedule.warmup.share > 0)
      throw Error("a pipe has no known length: --warmup must be a number of steps");
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

// The most tokens of a sequence.
int64_t length_of(const TrainingOptions& options) {
  const auto& config = options.config;
  const auto kind = options.task.kind;
  const int64_t longest = kind == TaskKind::pretrain ? config.positions
                          : kind == TaskKind::answer ? std::min(options.model_length, data::kAnswerLength)
                                                     : options.model_length;
  return task::sequence_limit(options.max_length, longest, config);
}

// What can be seen to be wrong before anything is read or made.
void check(const TrainingOptions& options, const text::Tokenizer& tokenizer) {
  const auto& config = options.config;
  const std::string besides[] = {kSnapshots};
  model::require_output(options.out, besides);
  namespace fs = std::filesystem;
  if (!options.model.empty() && kind_of(options.out) != FileKind::absent &&
      fs::equivalent(options.model, options.out))
    throw Error(options.out, ": is the model that training begins with: --out must be another directory");
  if (tokenizer.size() > config.vocab_size)
    throw Error("the vocabulary has ", tokenizer.size(), " tokens, the model ", config.vocab_size);
  if (const auto frozen = options.run.optimizer.frozen; frozen > config.layers)
    throw Error("--freeze ", *frozen, ": the model has ", config.layers, " layers");
  if (!options.run.plot) return;
  require_gnuplot();
  const auto folder = fs::absolute(*options.run.plot).parent_path();
  if (!is_directory(folder.string())) throw Error(*options.run.plot, ": no such directory");
}

// What the network cannot read is an error of its record. Counts the records that were cut.
class ReadableReader final : public data::ExampleReader {
 public:
  ReadableReader(std::unique_ptr<data::ExampleReader> reader, const model::Config& config)
      : reader_(std::move(reader)), config_(config) {}

  void read(const io::Fields& fields, const io::Record& record, int64_t epoch,
            data::Examples& examples) const override {
    const size_t before = examples.size();
    reader_->read(fields, record, epoch, examples);
    for (size_t i = before; i < examples.size(); ++i) {
      for (const auto& [ids, types] : examples[i]->sequences()) task::require_readable(ids, types, config_);
    }
    if (epoch == 0 && examples.size() > before && examples[before]->truncated) ++truncated_;
  }
  void check(const data::Example& example) override { reader_->check(example); }

  int64_t truncated() const { return truncated_; }  // records of the first epoch

 private:
  const std::unique_ptr<data::ExampleReader> reader_;
  const model::Config& config_;
  mutable std::atomic<int64_t> truncated_ = 0;
};

void start(model::TrainingNetwork& network, const TrainingTask& task, const TrainingOptions& options,
           Pool& pool, Log& log) {
  model::initialize(network.parameters(), network.config().init_range, options.run.seed, options.positions,
                    pool);
  if (options.positions == model::PositionStart::neighbours)
    model::look_at_neighbours(network.parameters(), network.config().heads);
  if (!options.model.empty()) {
    const auto head = task.heads().classifier;
    const auto anew = head && !task.keeps_head() ? head->name + "." : "";
    for (const auto& name : network.load(ckpt::Checkpoint::open(options.model), anew))
      log.warn(options.model + " has no " + name + ": it starts with random numbers");
  }
  network.refresh();
}

Preview preview_of(data::RecordSource& source) {
  Preview preview;
  preview.first = [&source](const data::RecordSource::Use& use) { source.peek(use); };
  if (source.records() > 0) preview.all = [&source](const data::RecordSource::Use& use) { source.each(use); };
  return preview;
}

// The dropout that was asked for is the model's from here on.
void settle_model(TrainingOptions& options, const text::Tokenizer& tokenizer) {
  auto& config = options.config;
  config.pad_id = tokenizer.pad();
  if (options.dropout)
    config.hidden_dropout = config.attention_dropout = config.classifier_dropout = *options.dropout;
  options.task.features.max_length = length_of(options);
  options.task.seed = options.source.seed = options.run.seed;
}

void check_best(const TrainingOptions& options, const TrainingTask& task) {
  if (!options.run.best) return;
  std::string known;
  for (const auto& name : task.metrics()) {
    if (name == *options.run.best) return;
    known += (known.empty() ? "" : ", ") + name;
  }
  throw Error("--best ", *options.run.best, ": what is measured on these records is ", known);
}

}  // namespace

bool train(TrainingOptions options, const text::Tokenizer& tokenizer, Pool& pool, Log& log) {
  check(options, tokenizer);
  options.dtype = nn::arithmetic(options.dtype, log);
  const auto model_setting = setting(options.config);
  settle_model(options, tokenizer);
  const auto task = make_training_task(options.task, tokenizer, options.config);
  const auto tokenizer_files =
      model::tokenizer_files(tokenizer, options.tokenizer_source, *options.task.features.max_length);

  options.source.interrupted = StopOnSignal::requested;
  if (!options.run.extent.steps && !options.run.extent.budget_s && io::can_read_again(options.stream.files))
    options.source.epochs = options.source.epochs.value_or(1);
  const auto source = data::open_records(options.stream, options.source, log);
  settle_extent(options, *task, *source);
  Snapshots snapshots(snapshots_of(options.out), options.keep, log);
  const auto last = snapshots.last();
  if (last && !options.resume)
    throw Error(options.out, ": holds a run, of ", last->state().step,
                " steps so far: --resume goes on with it, another --out begins anew");

  task->prepare(preview_of(*source));
  if (StopOnSignal::requested()) return false;
  options.run.settings = settings_of(options, model_setting, *task, tokenizer);
  check_best(options, *task);
  const auto readable = [&](std::unique_ptr<data::ExampleReader> reader) {
    return std::make_unique<ReadableReader>(std::move(reader), options.config);
  };
  std::optional<DevSet> dev;
  if (!options.dev.empty())
    dev.emplace(options.stream, options.dev, readable(task->make_dev_reader(options.dev)), log);
  const auto reader = readable(task->make_reader());
  data::Steps steps(*source, *reader, options.step);

  model::Config config = options.config;
  task->settle(config);
  model::TrainingNetwork network(config, task->heads(), pool, *options.dtype);
  network.freeze(options.run.optimizer.frozen);
  using Keep = model::TrainingNetwork::Keep;
  const auto learner = task->make_learner(network, options.recompute ? Keep::inputs : Keep::activations);
  Trainer trainer(
      {.learner = *learner,
       .data = steps,
       .source = *source,
       .evaluate = dev ? [&](Learner& l) { return dev->evaluate(l); } : std::function<bool(Learner&)>(),
       .save_model =
           [&] { model::save(options.out, network.config(), tokenizer_files, network.parameters()); },
       .snapshots = snapshots,
       .log = log,
       .pool = pool},
      options.run);
  if (last) {
    trainer.resume(*last);
  } else {
    start(network, *task, options, pool, log);
    if (options.moments) {
      const auto other = last_snapshot(snapshots_of(options.model), log);
      if (!other) throw Error(options.model, " has no snapshot to take moments from");
      trainer.take_moments(*other);
    }
  }
  const bool ended = trainer.run();
  source->report_skipped();
  if (const auto cut = reader->truncated(); cut > 0)
    log.warn(std::to_string(cut) + (cut == 1 ? " record was" : " records were") + " cut to fit a sequence");
  return ended;
}

}  // namespace bert::train
