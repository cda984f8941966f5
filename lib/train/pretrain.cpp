#include "train/pretrain.h"

#include <algorithm>
#include <charconv>
#include <concepts>
#include <filesystem>
#include <utility>

#include "base/checksum.h"
#include "base/error.h"
#include "base/signals.h"
#include "ckpt/checkpoint.h"
#include "data/pretrain_example.h"
#include "model/config_json.h"
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

std::string text(int64_t number) { return std::to_string(number); }

template <std::floating_point T>
std::string text(T number) {
  char digits[32];
  return {digits, std::to_chars(digits, digits + sizeof digits, number).ptr};
}

template <class T>
std::string text(const std::optional<T>& value) {
  return value ? text(*value) : "not set";
}

const char* yes_or_no(bool value) { return value ? "yes" : "no"; }

std::string text(const Warmup& warmup) {
  return warmup.share > 0 ? text(100 * warmup.share) + "%" : text(warmup.steps);
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

// For a person to see what it is, and for two to be told apart.
std::string text(const model::Config& config) {
  Checksum checksum;
  checksum.add(model::config_json(config));
  return text(config.layers) + " x " + text(config.hidden) + " (" + std::to_string(checksum.value()) + ")";
}

std::string text(const text::Tokenizer& tokenizer) {
  Checksum checksum;
  for (int32_t id = 0; id < tokenizer.size(); ++id) checksum.add(std::string(tokenizer.piece(id)) + "\n");
  return text(int64_t{tokenizer.size()}) + " tokens (" + std::to_string(checksum.value()) + ")";
}

// What decides about the bits of a run.
Settings settings_of(const PretrainOptions& options, const text::Tokenizer& tokenizer) {
  const auto& [run, step, mask] = std::tie(options.run, options.step, options.mask.rule);
  // Where records are the measure, it matters whether some are left out.
  const bool by_records = !run.extent.steps && !run.extent.budget_s;
  const bool skips = options.stream.on_error == io::OnError::skip;
  return {{"--task", "pretrain"},
          {"the model", text(options.config)},
          {"the vocabulary", text(tokenizer)},
          {"--seed", std::to_string(run.seed)},
          {"--steps", text(run.extent.steps)},
          {"--epochs", text(options.source.epochs)},
          {"--budget", text(run.extent.budget_s)},
          {"--on-error", !by_records ? "of no matter"
                         : skips     ? "skip"
                                     : "stop"},
          {"--max-length", text(options.max_length)},
          {"--batch-size", step.tokens ? "not set" : text(step.sequences)},
          {"--batch-tokens", text(step.tokens)},
          {"--accumulate", text(step.accumulate)},
          {"--no-shuffle", yes_or_no(options.source.order == data::SourceOptions::Order::given)},
          {"--shuffle-buffer", text(options.source.buffer_records)},
          {"--lr", text(run.schedule.peak)},
          {"--warmup", text(run.schedule.warmup)},
          {"--schedule", name_of(run.schedule.decay)},
          {"--optimizer", name_of(run.optimizer.method)},
          {"--beta1", text(run.optimizer.beta1)},
          {"--beta2", text(run.optimizer.beta2)},
          {"--epsilon", text(run.optimizer.epsilon)},
          {"--weight-decay", text(run.optimizer.weight_decay)},
          {"--clip", text(run.clip)},
          {"--dropout", text(options.dropout)},
          {"--best", run.best.value_or("not set")},
          {"--mask-prob", text(mask.probability)},
          {"--mask-rate", text(mask.mask_rate)},
          {"--random-rate", text(mask.random_rate)},
          {"--max-predictions", text(mask.max_predictions)},
          {"--whole-word", yes_or_no(mask.unit == data::MaskRule::Unit::word)},
          {"--replace-any", yes_or_no(mask.replacements == data::MaskRule::Replacements::every)}};
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
    if (options.run.schedule.warmup.share > 0)
      throw Error("a pipe has no known length: --warmup must be a number of steps");
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

std::optional<int32_t> next_of(const std::unique_ptr<data::Example>& example) {
  return example->as<data::PretrainExample>().next;
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

// What can be seen to be wrong before anything is read or made.
void check(const PretrainOptions& options, const text::Tokenizer& tokenizer) {
  const auto& config = options.config;
  const std::string besides[] = {kSnapshots};
  model::require_output(options.out, besides);
  namespace fs = std::filesystem;
  if (!options.model.empty() && fs::exists(options.out) && fs::equivalent(options.model, options.out))
    throw Error(options.out, ": is the model that training begins with: --out must be another directory");
  if (tokenizer.size() > config.vocab_size)
    throw Error("the vocabulary has ", tokenizer.size(), " tokens, the model ", config.vocab_size);
  if (!config.tied_embeddings)
    throw Error(options.model, ": its output embeddings are not its input embeddings: not trained here");
  if (options.max_length && *options.max_length > config.positions)
    throw Error("--max-length ", *options.max_length, ": the model takes ", config.positions);
  if (!options.run.plot) return;
  require_gnuplot();
  const auto folder = fs::absolute(*options.run.plot).parent_path();
  if (!fs::is_directory(folder)) throw Error(*options.run.plot, ": no such directory");
}

model::Config settled(const PretrainOptions& options, const text::Tokenizer& tokenizer,
                      const model::TrainingNetwork::Heads& heads) {
  model::Config config = options.config;
  config.pad_id = tokenizer.pad();
  config.architectures = {heads.next ? "BertForPreTraining" : "BertForMaskedLM"};
  config.problem_type = {};
  config.labels = model::Config().labels;
  if (options.dropout) {
    config.hidden_dropout = config.attention_dropout = config.classifier_dropout = *options.dropout;
  }
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

// A set that is gone through again and again, with the same hidden tokens each time.
class DevSet {
 public:
  // Reads it once, so that what is wrong with it is said before the work begins.
  DevSet(const PretrainOptions& options, const text::Tokenizer& tokenizer, data::PretrainLimits limits,
         Log& log)
      : reader_(tokenizer, options.mask, limits) {
    auto stream = options.stream;
    stream.files = {options.dev};
    if (!io::can_read_again(stream.files)) throw Error(options.dev, ": --dev must be a regular FILE");
    source_ = data::open_records(stream, {.order = data::SourceOptions::Order::given, .epochs = 1}, log);
    each([&](const data::Examples& examples) { labelled_ = next_of(examples.front()).has_value(); });
    source_->report_skipped();
  }

  bool labelled() const { return labelled_; }  // with next_sentence_label

  bool evaluate(Learner& learner) {
    return each([&](const data::Examples& examples) { learner.evaluate(examples); });
  }

 private:
  // False when a signal ended it before its time.
  template <class Use>
  bool each(const Use& use) {
    source_->skip_to(0);
    data::Steps parts(*source_, reader_, {.sequences = kDevSequences});
    for (data::Step part; parts.next(part);) {
      for (const auto& batch : part.batches) use(batch);
      if (StopOnSignal::requested()) return false;
    }
    return true;
  }

  data::PretrainReader reader_;
  std::unique_ptr<data::RecordSource> source_;
  bool labelled_ = false;
};

}  // namespace

bool pretrain(PretrainOptions options, const text::Tokenizer& tokenizer, Pool& pool, Log& log) {
  check(options, tokenizer);
  options.mask.seed = options.source.seed = options.run.seed;
  options.run.settings = settings_of(options, tokenizer);

  const data::PretrainLimits limits = {.max_length = options.max_length.value_or(options.config.positions),
                                       .types = options.config.types};
  const auto tokenizer_files =
      model::tokenizer_files(tokenizer, options.tokenizer_source, options.config.positions);
  std::optional<DevSet> dev;
  if (!options.dev.empty()) dev.emplace(options, tokenizer, limits, log);

  options.source.interrupted = StopOnSignal::requested;
  if (!options.run.extent.steps && !options.run.extent.budget_s && io::can_read_again(options.stream.files))
    options.source.epochs = options.source.epochs.value_or(1);
  const auto source = data::open_records(options.stream, options.source, log);
  settle_extent(options, *source);
  Snapshots snapshots(snapshots_of(options.out), options.keep, log);
  const auto last = snapshots.last();
  if (last && !options.resume)
    throw Error(options.out, ": holds a run, of ", last->state().step,
                " steps so far: --resume goes on with it, another --out begins anew");
  data::PretrainReader reader(tokenizer, options.mask, limits);
  data::Steps steps(*source, reader, options.step);
  const auto heads = heads_for(*source, reader);
  if (StopOnSignal::requested()) return false;
  if (dev && dev->labelled() != heads.next)
    throw Error(options.dev, dev->labelled() ? ": has " : ": has no ",
                "field \"next_sentence_label\", other than what is learned from");
  if (options.run.best && options.run.best->starts_with("nsp") && !heads.next)
    throw Error("--best ", *options.run.best, ": the records have no field \"next_sentence_label\"");

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
      const auto other = last_snapshot(snapshots_of(options.model), log);
      if (!other) throw Error(options.model, " has no snapshot to take moments from");
      trainer.take_moments(*other);
    }
  }
  const bool ended = trainer.run();
  source->report_skipped();
  return ended;
}

}  // namespace bert::train
