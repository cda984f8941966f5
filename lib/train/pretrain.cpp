#include "train/pretrain.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/error.h"
#include "base/signals.h"
#include "ckpt/checkpoint.h"
#include "data/pretrain_example.h"
#include "model/save.h"
#include "model/training_network.h"
#include "train/plot.h"
#include "train/pretraining.h"

namespace bert::train {
namespace {

constexpr const char* kSnapshots = "snapshots";  // in the output directory
constexpr int64_t kDevSequences = 256;           // read at a time

std::string snapshots_of(const std::string& directory) {
  return (std::filesystem::path(directory) / kSnapshots).string();
}

std::string text(double number) { return Error(number).what(); }  // as messages write numbers

// What decides about the bits of a run.
Settings settings_of(const PretrainOptions& options) {
  const auto& [run, step, mask] = std::tie(options.run, options.step, options.mask.rule);
  const auto given = [](const auto& value) { return value ? text(static_cast<double>(*value)) : "none"; };
  using Order = data::SourceOptions::Order;
  return {{"--task", "pretrain"},
          {"--seed", text(static_cast<double>(run.seed))},
          {"--steps", given(run.extent.steps)},
          {"--epochs", given(options.source.epochs)},
          {"--budget", given(run.extent.budget_s)},
          {"--batch-size", step.tokens ? "none" : text(static_cast<double>(step.sequences))},
          {"--batch-tokens", given(step.tokens)},
          {"--accumulate", text(static_cast<double>(step.accumulate))},
          {"--no-shuffle", options.source.order == Order::given ? "yes" : "no"},
          {"--shuffle-buffer", text(static_cast<double>(options.source.buffer_records))},
          {"--lr", text(run.schedule.peak)},
          {"--warmup", run.schedule.warmup.steps > 0 ? text(static_cast<double>(run.schedule.warmup.steps))
                                                     : text(100 * run.schedule.warmup.share) + "%"},
          {"--schedule", text(static_cast<double>(run.schedule.decay))},
          {"--optimizer", text(static_cast<double>(run.optimizer.method))},
          {"--beta1", text(run.optimizer.beta1)},
          {"--beta2", text(run.optimizer.beta2)},
          {"--epsilon", given(run.optimizer.epsilon)},
          {"--weight-decay", text(run.optimizer.weight_decay)},
          {"--clip", text(run.clip)},
          {"--dropout", given(options.dropout)},
          {"--mask-prob", text(mask.probability)},
          {"--mask-rate", text(mask.mask_rate)},
          {"--random-rate", text(mask.random_rate)},
          {"--max-predictions", given(mask.max_predictions)}};
}

// The run's measure: a number of steps where that can be known before.
void settle_extent(PretrainOptions& options, const data::RecordSource& source) {
  auto& extent = options.run.extent;
  if (extent.steps || extent.budget_s) return;
  if (source.records() == 0) {
    if (options.run.schedule.decay != Decay::constant)
      throw Error(
          "a pipe has no known length: --steps or --budget must say when the learning rate is to be 0, "
          "or --schedule constant that it is not");
    return;
  }
  const int64_t records = source.records() * options.source.epochs.value_or(1);
  if (options.step.tokens || options.stream.on_error == io::OnError::skip) {
    extent.records = records;
  } else {
    const int64_t sequences = options.step.sequences * options.step.accumulate;
    extent.steps = (records + sequences - 1) / sequences;
  }
}

// With a pooler and its head when the records say what follows what.
model::TrainingNetwork::Heads heads_for(data::RecordSource& source, data::PretrainReader& reader) {
  model::TrainingNetwork::Heads heads = {.next = false};
  source.peek([&](const io::Fields& fields, const io::Record& record, int64_t epoch) {
    data::Examples examples;
    reader.read(fields, record, epoch, examples);
    examples.front()->where = record.where();
    reader.check(*examples.front());  // from here on all are to be like it
    heads.next = examples.front()->as<data::PretrainExample>().next.has_value();
  });
  return heads;
}

model::Config settled(const PretrainOptions& options, const text::Tokenizer& tokenizer,
                      const model::TrainingNetwork::Heads& heads) {
  model::Config config = options.config;
  if (tokenizer.size() > config.vocab_size)
    throw Error("the vocabulary has ", tokenizer.size(), " tokens, the model ", config.vocab_size);
  if (!config.tied_embeddings)
    throw Error(options.model, ": its output embeddings are not its input embeddings: not trained here");
  config.pad_id = tokenizer.pad();
  config.architectures = {heads.next ? "BertForPreTraining" : "BertForMaskedLM"};
  config.problem_type = {};
  config.labels = model::Config().labels;
  if (options.dropout) config.hidden_dropout = config.attention_dropout = *options.dropout;
  return config;
}

void start(model::TrainingNetwork& network, const PretrainOptions& options, Pool& pool, Log& log) {
  model::initialize(network.parameters(), network.config().init_range, options.run.seed, options.positions,
                    pool);
  if (!options.model.empty()) {
    for (const auto& name : network.load(ckpt::Checkpoint::open(options.model)))
      log.warn(options.model + " has no " + name + ": it starts with random numbers");
  }
  network.refresh();
}

// One pass over the dev set, with the same hidden tokens each time.
class DevSet {
 public:
  DevSet(const PretrainOptions& options, const text::Tokenizer& tokenizer, data::PretrainLimits limits,
         Log& log)
      : options_(options), tokenizer_(tokenizer), limits_(limits), log_(log), stream_(options.stream) {
    stream_.files = {options.dev};
    if (!io::can_read_again(stream_.files)) throw Error(options.dev, ": --dev must be a regular FILE");
  }

  bool evaluate(Learner& learner) const {
    const auto source = data::open_records(
        stream_,
        {.order = data::SourceOptions::Order::given, .epochs = 1, .interrupted = StopOnSignal::requested},
        log_);
    data::PretrainReader reader(tokenizer_, options_.mask, limits_);
    data::Steps parts(*source, reader, {.sequences = kDevSequences});
    data::Step part;
    while (parts.next(part)) {
      for (const auto& batch : part.batches) learner.evaluate(batch);
      if (StopOnSignal::requested()) return false;
    }
    return !source->interrupted();
  }

 private:
  const PretrainOptions& options_;
  const text::Tokenizer& tokenizer_;
  const data::PretrainLimits limits_;
  Log& log_;
  io::StreamOptions stream_;
};

}  // namespace

bool pretrain(PretrainOptions options, const text::Tokenizer& tokenizer, Pool& pool, Log& log) {
  const std::string besides[] = {kSnapshots};
  model::require_output(options.out, besides);
  if (options.run.plot) require_gnuplot();
  options.mask.seed = options.source.seed = options.run.seed;
  options.run.settings = settings_of(options);

  const int64_t max_length = options.max_length.value_or(options.config.positions);
  if (max_length > options.config.positions)
    throw Error("--max-length ", max_length, ": the model takes ", options.config.positions);
  const data::PretrainLimits limits = {.max_length = max_length, .types = options.config.types};
  const auto tokenizer_files = model::tokenizer_files(tokenizer, options.tokenizer_source, max_length);
  std::optional<DevSet> dev;
  if (!options.dev.empty()) dev.emplace(options, tokenizer, limits, log);

  Snapshots snapshots(snapshots_of(options.out), options.keep, log);
  const auto last = snapshots.last();
  if (last && !options.resume)
    throw Error(options.out, " holds a run that is not finished or can go on: --resume goes on with it");

  options.source.interrupted = StopOnSignal::requested;
  if (!options.run.extent.steps && !options.run.extent.budget_s && io::can_read_again(options.stream.files))
    options.source.epochs = options.source.epochs.value_or(1);
  const auto source = data::open_records(options.stream, options.source, log);
  settle_extent(options, *source);
  data::PretrainReader reader(tokenizer, options.mask, limits);
  data::Steps steps(*source, reader, options.step);
  const auto heads = heads_for(*source, reader);
  if (StopOnSignal::requested()) return false;

  model::TrainingNetwork network(settled(options, tokenizer, heads), heads, pool);
  using Keep = model::TrainingNetwork::Keep;
  Pretraining learner(network, options.recompute ? Keep::inputs : Keep::activations);
  Trainer trainer(
      {.learner = learner,
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
    start(network, options, pool, log);
    if (options.moments) {
      const auto other = Snapshots(snapshots_of(options.model), options.keep, log).last();
      if (!other) throw Error(options.model, " has no snapshot to take moments from");
      trainer.take_moments(*other);
    }
  }
  const bool ended = trainer.run();
  source->report_skipped();
  return ended;
}

}  // namespace bert::train
