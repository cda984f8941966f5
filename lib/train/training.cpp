#include "train/training.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "base/checksum.h"
#include "base/error.h"
#include "base/file.h"
#include "base/option.h"
#include "ckpt/checkpoint.h"
#include "examples/record_check.h"
#include "heads/task_support.h"
#include "heads/version.h"
#include "json/json.h"
#include "model/parts.h"
#include "model/save.h"
#include "model/training_network.h"
#include "nn/panels.h"
#include "nn/scalar_mix.h"
#include "train/check_report.h"
#include "train/data_report.h"
#include "train/dev_set.h"
#include "train/model_card.h"
#include "train/readable_reader.h"
#include "train/requirements.h"
#include "train/split_set.h"

namespace bert::train {
namespace {

using Keep = model::TrainingNetwork::Keep;

// The options with all that follows from them before records are read.
class Training {
 public:
  Training(const TrainingOptions& options, const InitialModel& initial, Dtype dtype,
           comm::Communicator& ranks, Pool& pool, Log& log);

  // Both return false if interrupted.
  bool run();
  bool evaluate();  // writes nothing but the training log

 private:
  std::unique_ptr<ReadableReader> readable(std::unique_ptr<examples::ExampleReader> reader,
                                           LabelTally* tally = nullptr) const {
    return std::make_unique<ReadableReader>(std::move(reader), initial_, plan_.config, plan_.task, tally);
  }

  bool starts_over() const { return options_.run.force && !options_.resume; }

  // The checkpoint that rank 0 finds, for all ranks.
  std::optional<TrainingCheckpoint> last_of(const Checkpoints* checkpoints) const {
    auto last = checkpoints && !starts_over() ? checkpoints->last() : std::nullopt;
    if (last && !options_.resume)
      throw Error(options_.run.out, ": contains a run of ", counted(last->state().step, "step", "steps"),
                  ": continue it with ", opt::resume, ", replace it with ", opt::force,
                  ", or write to another directory with -o");
    const auto path = ranks_.broadcast(last ? last->path() : "");
    if (!checkpoints && !path.empty()) last.emplace(path);
    return last;
  }

  model::TrainingNetwork make_network() const {
    model::Config config = plan_.config;
    task_->describe(config);
    const auto heads = task_->heads();
    const auto* head = heads.empty() ? nullptr : heads.front();
    if (head == model::head_of(task::Task::classify)) config.pairs = pairs_;
    config.weighted_layers &= head != nullptr && head->fine_tuned;
    return {config, heads, pool_, plan_.dtype};
  }

  void freeze(model::TrainingNetwork& network) const {
    const auto frozen = options_.run.optimizer.frozen;
    network.freeze(frozen);
    const auto learns = [&](const auto& entry) { return !frozen || !model::is_frozen(entry.name, *frozen); };
    if (options_.steps != 0 && std::ranges::none_of(network.parameters().layout().entries(), learns))
      throw Error(opt::freeze, " leaves nothing to train: this task has no head besides the model's layers");
  }

  // At least.
  uint64_t bytes_of_checkpoint(const nn::Params& parameters) const {
    const uint64_t weights = parameters.all().size_bytes();
    const uint64_t moments = options_.run.optimizer.frozen ? 0 : 2 * weights;
    return weights + moments;
  }

  // Loads the initial model. Returns the names of the parameters that it should have but does not.
  std::vector<std::string> load(model::TrainingNetwork& network) const {
    const auto heads = task_->heads();
    const bool replaces = !heads.empty() && !task_->keeps_head();
    const auto replaced = replaces ? std::string(heads.front()->tensors(*initial_.config.type)) + "." : "";
    const auto checkpoint = ckpt::Checkpoint::open(initial_.path);
    if (replaces && initial_.config.has_architecture(model::architecture_of(heads, initial_.config)) &&
        checkpoint.find(replaced + "weight") != nullptr)
      log_.warn(initial_.path +
                ": the trained head is replaced by a new one, because the labels are not those of the model");
    auto missing = network.load(checkpoint, replaced);
    if (network.generator() != nullptr) load_generator(*network.generator(), missing);
    if (const auto own = task_->complete(network.parameters()); !own.empty())
      std::erase_if(missing, [&](const auto& name) { return name.starts_with(own); });
    if (options_.steps != 0 && !initial_.config.weighted_layers)
      std::erase_if(missing, [](const auto& name) { return name.starts_with(nn::ScalarMix::kPrefix); });
    return missing;
  }

  // A generator that was trained with the initial model. `missing`: parameters that the initial
  // model's weight file lacks, the generator's included.
  void load_generator(model::TrainingNetwork& generator, std::vector<std::string>& missing) const {
    const auto path = initial_.path + "/" + std::string(model::kGenerator);
    const bool found = is_directory(path);
    if (found || options_.steps != 0) std::erase_if(missing, model::is_of_generator);
    if (!found) return;
    const auto& ours = generator.config();
    const auto its = model::open_directory(path).config;
    if (its.hidden != ours.hidden || its.heads != ours.heads)
      throw Error(path, ": the generator has ", counted(its.heads, "attention head", "attention heads"),
                  " and width ", its.hidden, ", ", opt::generator_size, " asks for ", ours.heads, " and ",
                  ours.hidden);
    for (const auto& name : generator.load(ckpt::Checkpoint::open(path)))
      missing.push_back(std::string(model::kGeneratorPrefix) + name);
    log_.info("the generator is that of " + path);
  }

  void initialize(model::TrainingNetwork& network) const {
    model::initialize(network.parameters(), network.config(), options_.run.seed, options_.positions, pool_);
    if (options_.positions == model::PositionStart::neighbours)
      model::look_at_neighbours(network.parameters(), network.config().heads);
    network.copy_embeddings();
    if (initial_.path.empty()) task_->complete(network.parameters());
    for (const auto& name : initial_.path.empty() ? std::vector<std::string>() : load(network))
      log_.warn(initial_.path + " has no " + name + ": initialized with random numbers");
    network.refresh();
  }

  void take_moments(Trainer& trainer) const {
    const auto other = is_checkpoint(initial_.path) ? std::optional(TrainingCheckpoint(initial_.path))
                                                    : last_checkpoint(checkpoints_of(initial_.path), log_);
    if (!other) throw Error(initial_.path, ": has no checkpoint with the optimizer's moments");
    try {
      trainer.take_moments(*other);
    } catch (const Error& error) {
      throw Error(error.what(), "; ", opt::moments, " needs a run of the same task and sizes");
    }
  }

  examples::CheckTools check_tools() const {
    examples::CheckTools tools = {pool_, ranks_, log_, progress() != nullptr};
    if (options_.only_checks) tools.listed = std::numeric_limits<size_t>::max();
    if (options_.split.any()) tools.whole = [this] { return whole_of(plan_, log_); };
    return tools;
  }

  // Checks the records before training; a pipe's are reported at its end.
  bool check(examples::RecordSource& source, std::unique_ptr<examples::ExampleReader> reader) {
    const auto tallied = readable(std::move(reader), options_.only_checks ? &labels_ : nullptr);
    auto checked = examples::check_records(source, *tallied, check_tools());
    if (!checked) return false;
    pairs_ = pairs_of(*checked);
    if (source.records() > 0) {
      if (checked->records == 0) throw Error("no record has tokens to train on");
      require_use(*checked);
      report(*checked, options_, initial_.tokenizer, log_);
      note_conflicts({source, *checked, labels_.counts()}, "", log_);
    }
    checked_ = *std::move(checked);
    return true;
  }

  // Records that only have next-sentence labels are learned from, too.
  void require_use(const examples::CheckedRecords& checked) const {
    if (checked.with(examples::Trait::idle) == checked.records && task_->heads().size() < 2)
      throw Error(idle_text(options_.task.kind), ": there is nothing to learn");
  }

  void compare(const DevSet& dev, std::optional<bool> trained) const {
    const auto pairs = pairs_of(dev.checked());
    if (!pairs || !trained || *pairs == *trained) return;
    const auto kind = [](bool paired) { return paired ? "pairs" : "single texts"; };
    log_.warn(options_.dev_name() + ": the records are " + kind(*pairs) + ", but those of training are " +
              kind(*trained));
  }

  io::StreamOptions dev_stream() const {
    auto stream = plan_.stream;
    if (!options_.dev.empty()) stream.files = {options_.dev};
    if (options_.dev.empty()) stream.note = nullptr;  // its FILEs have their notes
    return stream;
  }

  bool is_training_file(const std::string& file) const {
    return !file.empty() && std::ranges::any_of(options_.stream.files,
                                                [&](const auto& other) { return same_file(other, file); });
  }

  void require_agreement(Settings settings, const nn::Params& parameters) const;

  Log* progress() const {
    return ranks_.is_first() && io::shows_progress(plan_.stream, log_) ? &log_ : nullptr;
  }

  const TrainingOptions& options_;
  const InitialModel& initial_;
  comm::Communicator& ranks_;
  Pool& pool_;
  Log& log_;
  const TrainingPlan plan_;
  const std::unique_ptr<TrainingTask> task_;
  const model::TokenizerFiles tokenizer_files_;
  std::optional<bool> pairs_;         // see pairs_of
  examples::CheckedRecords checked_;  // training records; their digests only until training begins
  LabelTally labels_;                 // of them, if they are only checked
};

Training::Training(const TrainingOptions& options, const InitialModel& initial, Dtype dtype,
                   comm::Communicator& ranks, Pool& pool, Log& log)
    : options_(options),
      initial_(initial),
      ranks_(ranks),
      pool_(pool),
      log_(log),
      plan_(plan_training(options, initial, dtype, ranks)),
      task_(make_training_task(
          {plan_.task, initial.tokenizer, plan_.config, initial.sentence, initial.path, dtype})),
      tokenizer_files_(model::tokenizer_files(initial.tokenizer, initial.tokenizer_source,
                                              plan_.task.features.max_length)) {
  // --task embed keeps prompts; the other tasks write no files of sentence-transformers.
  const bool drops_prompt = initial.sentence.cross_encoder && options.task.kind != task::Task::embed;
  if (const auto prompt = default_prompt_of(initial.sentence); drops_prompt && !prompt.empty())
    log.warn("the default prompt of the cross-encoder, \"" + prompt +
             "\", is not used in training and not kept: have it in the texts");
  if (!options.rate)
    log.info("peak learning rate " + setting(plan_.schedule.peak) + ", the default for " +
             std::string(task::name_of(options.task.kind)) + " with hidden size " +
             setting(plan_.config.hidden));
}

bool Training::run() {
  auto part = plan_.source;
  auto split = split_of(options_, plan_, pool_, log_);
  part.part = {split.dev, false};
  const auto source = examples::open_records(plan_.stream, part, log_);
  if (source->records() == 0) require_length(options_, plan_);
  if (source->records() == 0 && options_.only_checks)
    throw Error(opt::check, " needs FILEs: the records of a pipe are checked when they are drawn");
  std::optional<Checkpoints> checkpoints;
  if (ranks_.is_first() && !options_.run.out.empty())
    checkpoints.emplace(checkpoints_of(options_.run.out), options_.keep, log_);
  const auto last = last_of(checkpoints ? &*checkpoints : nullptr);
  task_->peek(*source);
  task_->prepare({.source = *source,
                  .ranks = ranks_,
                  .log = log_,
                  .check = [&](auto reader) { return check(*source, std::move(reader)); },
                  .records_in_step = plan_.step.tokens ? 0 : plan_.step.sequences * plan_.step.accumulate,
                  .labels = std::move(split.labels)});
  if (ranks_.stop_requested()) return false;
  examples::RecordSource::Continued continued;
  if (last) continued = source->continue_from(last->state().data, last->listed_records());
  const RunPlan plan = plan_run(options_, initial_, plan_, *task_, source->draws(), ranks_.size());
  warn_of_warmup(plan, log_);

  std::optional<DevSet> dev;
  LabelTally dev_labels;
  if (options_.has_dev())
    dev.emplace(
        dev_stream(), examples::SourceOptions::Part{part.part.chosen, true},
        readable(task_->make_dev_reader(options_.dev_name()), options_.only_checks ? &dev_labels : nullptr),
        check_tools());
  if (dev) compare(*dev, pairs_);
  if (dev) task_->check_dev_set(dev->source());
  const CheckedSet trained = {*source, checked_, labels_.counts()};
  const auto tested =
      dev ? std::optional(CheckedSet{dev->source(), dev->checked(), dev_labels.counts()}) : std::nullopt;
  if (dev && !is_training_file(options_.dev)) note_dev_set(trained, *tested, options_.dev_name(), log_);
  const auto baselines =
      options_.baseline ? task_->baselines(*source, dev->source()) : std::vector<Baseline>();
  const int64_t valid = source->records() > 0 ? checked_.records : 0;
  const auto held_out_bad = options_.split.any() ? dev->source().skipped() : 0;
  if (!options_.only_checks) checked_ = {};
  const auto reader = readable(task_->make_reader());
  examples::Steps steps(*source, *reader, plan_.step, ranks_);
  auto network = make_network();
  freeze(network);
  if (ranks_.is_first() && !options_.run.out.empty())
    require_space(options_.run.out, bytes_of_checkpoint(network.parameters()));
  const auto modules = task_->modules();
  const CardFacts facts = {options_,         initial_, plan_,
                           network.config(), valid,    dev ? dev->checked().records : 0};
  const auto learner = task_->make_learner(network, options_.recompute ? Keep::inputs : Keep::activations);
  Trainer trainer({.ranks = ranks_,
                   .learner = *learner,
                   .data = steps,
                   .source = *source,
                   .dev = dev ? &*dev : nullptr,
                   .config = network.config(),
                   .tokenizer = tokenizer_files_,
                   .modules = modules,
                   .card = facts,
                   .checkpoints = checkpoints ? &*checkpoints : nullptr,
                   .log = log_,
                   .progress = progress()},
                  plan);
  if (last) {
    trainer.resume(*last, continued);
  } else {
    initialize(network);
    if (options_.moments) take_moments(trainer);
  }
  auto settings = plan.settings;
  settings.emplace_back("the training records", source->description());
  settings.emplace_back("the dev set", dev ? dev->source().description() : "not set");
  require_agreement(std::move(settings), network.parameters());
  if (ranks_.stop_requested() != 0) return false;
  if (!options_.held_out.empty()) dev->write_records(options_.held_out);
  if (options_.only_checks) {
    const auto pace = ranks_.alone() ? std::optional(trainer.pace()) : std::nullopt;
    const CheckedRun checked = {plan_, plan,     network.config(), trained, tested ? &*tested : nullptr,
                                pace,  baselines};
    if (ranks_.is_first()) write_report(checked, options_.stream.format);
    source->report_skipped(held_out_bad);
    return true;
  }
  if (!baselines.empty()) {
    TrainingLog log;
    for (const auto& baseline : baselines) log.write(baseline);
    log.commit();
  }
  if (checkpoints && starts_over()) checkpoints->clear();
  const bool ended = trainer.run();
  source->report_skipped(held_out_bad);
  if (source->records() == 0) report(reader->drawn(), options_, initial_.tokenizer, log_);
  return ended;
}

// Throws Error on ranks whose settings, tokenizer or parameters differ from those of rank 0.
void Training::require_agreement(Settings settings, const nn::Params& parameters) const {
  if (ranks_.alone()) return;
  Checksum of_tokenizer, of_parameters;
  of_tokenizer.add(tokenizer_files_.vocab);
  of_tokenizer.add(tokenizer_files_.settings);
  of_parameters.add(std::as_bytes(parameters.all()));
  settings.emplace_back("the tokenizer (checksum)", std::to_string(of_tokenizer.value()));
  settings.emplace_back("the initial parameters (checksum)", std::to_string(of_parameters.value()));
  require_same_on_all_ranks(ranks_, settings);
}

bool Training::evaluate() {
  auto peeked = dev_stream();
  peeked.note = nullptr;  // the dev set has notes
  const auto source = examples::open_records(peeked, plan_.source, log_);
  if (initial_.path.empty()) throw Error(opt::steps, " 0 evaluates a trained model: use -m DIR");
  task_->peek(*source);
  task_->prepare_to_evaluate();
  const auto require_trained = [&](bool trained, const std::string& why) {
    if (!trained)
      throw Error(initial_.path, ": was not trained for ", opt::task, " ", task::name_of(options_.task.kind),
                  why);
  };
  require_trained(task_->heads().empty() || task_->keeps_head(), "");
  DevSet dev(dev_stream(), {}, readable(task_->make_dev_reader(options_.dev)), check_tools());
  task_->check_dev_set(dev.source());
  report(dev.checked(), options_, initial_.tokenizer, log_);
  note_conflicts({dev.source(), dev.checked(), {}}, "", log_);
  compare(dev, initial_.config.pairs);
  if (options_.task.kind == task::Task::tag)
    heads::check_context(initial_.path, initial_.config, options_.task.features, log_);
  auto network = make_network();
  const auto learner = task_->make_learner(network, Keep::activations);
  const auto missing = load(network);
  require_trained(missing.empty(), missing.empty() ? "" : ", it has no " + missing.front());
  network.refresh();
  require_agreement({{"the dev set", dev.source().description()}}, network.parameters());
  learner->join(ranks_, {});
  const auto values = dev.evaluate(*learner, progress());
  if (!values || !ranks_.is_first()) return values.has_value();
  if (progress()) log_.progress("");
  TrainingLog training_log;
  training_log.write_dev(0, *values);
  training_log.commit();
  return true;
}

}  // namespace

bool train(const TrainingOptions& given, const InitialModel& initial, comm::Communicator& ranks, Pool& pool,
           Log& log) {
  auto options = given;
  if (auto& frozen = options.run.optimizer.frozen; frozen == kAllLayers) frozen = initial.config.layers;
  require_possible(options, initial, ranks, log);
  const Dtype dtype = nn::arithmetic(options.dtype);
  log.info("the encoder multiplies " + nn::arithmetic_name(dtype) + ", " + heads::version());
  Training training(options, initial, dtype, ranks, pool, log);
  return options.steps == 0 ? training.evaluate() : training.run();
}

}  // namespace bert::train
