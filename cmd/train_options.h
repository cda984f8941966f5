// The option groups of bert-train, each in the words of what it sets.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "cli/amounts.h"
#include "cli/model_options.h"
#include "cli/stream_options.h"
#include "model/directory.h"
#include "model/preset.h"
#include "text/tokenizer.h"
#include "train/training.h"

namespace bert::cmd {

constexpr int64_t kMostSteps = 1'000'000'000'000;

// Which model learns, and what for: one that is there, or a new one for a vocabulary.
class LearnerOptions {
 public:
  LearnerOptions(cli::App& app, train::TrainingOptions& options);
  LearnerOptions(const LearnerOptions&) = delete;

  // Loads the tokenizer and says what learns, in the body of App::run.
  text::Tokenizer settle(train::TrainingOptions& options) const;

 private:
  void check(const train::TrainingOptions& options);

  std::string model_, config_, vocab_;
  std::optional<model::Preset> preset_;
  bool cased_ = false, uncased_ = false;
};

inline LearnerOptions::LearnerOptions(cli::App& app, train::TrainingOptions& options) {
  app.section("Model");
  app.option({"-m,--model", "DIR",
              "Train this model on; without it, --preset and --config, $BERT_MODEL, else the default model."},
             model_);
  using enum model::Preset;
  app.choice<model::Preset>({"--preset", "", "Train a new model of this size."},
                            {{"tiny", tiny},
                             {"mini", mini},
                             {"small", small},
                             {"medium", medium},
                             {"base", base},
                             {"large", large}},
                            preset_);
  app.option({"--config", "FILE", "Train a new model of the sizes in this config.json."}, config_);
  app.option({"--vocab", "FILE", "Vocabulary of a new model; settings come from the files beside it."},
             vocab_);
  app.flag({"--cased", "", "Keep case and accents, whatever the files say."}, cased_);
  app.flag({"--uncased", "", "Lower-case and strip accents, whatever the files say."}, uncased_);
  using enum model::PositionStart;
  app.choice<model::PositionStart>({"--init-positions", "",
                                    "What positions of a new model begin with: random numbers, waves, waves "
                                    "and heads that look at neighbours."},
                                   {{"normal", normal}, {"sinusoid", sinusoid}, {"neighbours", neighbours}},
                                   options.positions);
  app.flag({"--moments", "", "Begin with the optimiser's state of the model's last snapshot, too."},
           options.moments);
  app.real({"--dropout", "P", "Instead of what config.json says, 0.1 of a new model."},
           {.min = 0, .max = 0.99}, options.dropout);
  app.flag({"--recompute", "", "Keep less in memory and compute it again: the same result, more slowly."},
           options.recompute);
  cli::dtype_option(app, cli::Int8::no, options.dtype);
  app.check([this, &app, &options] {
    check(options);
    if (!model_.empty() && app.given("--init-positions"))
      throw cli::UsageError("--init-positions is for new models: --preset or --config");
  });
}

inline void LearnerOptions::check(const train::TrainingOptions& options) {
  using cli::UsageError;
  if (!model_.empty() + preset_.has_value() + !config_.empty() > 1)
    throw UsageError("--model, --preset and --config exclude each other");
  if (cased_ && uncased_) throw UsageError("--cased and --uncased exclude each other");
  if (preset_ || !config_.empty()) {
    if (vocab_.empty()) throw UsageError("a new model needs --vocab FILE");
    if (options.moments) throw UsageError("--moments needs the model whose snapshot has them: -m DIR");
    return;
  }
  model_ = cli::model_directory(model_, "give -m DIR, or --preset or --config for a new one");
  if (!vocab_.empty()) throw UsageError("--vocab is for new models; ", model_, " brings its own");
}

inline text::Tokenizer LearnerOptions::settle(train::TrainingOptions& options) const {
  using text::Case;
  const auto letter_case = cased_ ? Case::cased : uncased_ ? Case::uncased : Case::from_files;
  if (!model_.empty()) {
    const auto directory = model::open_directory(model_);
    options.model = options.tokenizer_source = directory.path;
    options.config = directory.config;
    options.model_length = directory.max_length;
    return text::load_tokenizer(directory.path, text::Compat::hf, letter_case);
  }
  options.tokenizer_source = vocab_;
  auto tokenizer = text::load_vocab(vocab_, text::Compat::hf, letter_case);
  options.config = preset_ ? model::config_of(*preset_, tokenizer.size())
                           : model::parse_config(config_, read_file(config_));
  options.model_length = options.config.positions;
  return tokenizer;
}

// What is learned from, and how it is cut into steps. FILEs are settings of the stream.
class DataOptions {
 public:
  DataOptions(cli::App& app, train::TrainingOptions& options);
  DataOptions(const DataOptions&) = delete;

 private:
  std::optional<int64_t> sequences_;
  bool in_order_ = false;
};

inline DataOptions::DataOptions(cli::App& app, train::TrainingOptions& options) {
  app.section("Data");
  app.option({"--dev", "FILE", "Records to measure the model on; not learned from."}, options.dev);
  app.number({"--batch-size", "N", "Records that are computed at once (default 32; of choose 16)."},
             {.min = 1}, sequences_);
  app.number({"--batch-tokens", "N", "Instead: as many as have N tokens together."}, {.min = 1},
             options.step.tokens);
  app.number({"--accumulate", "N", "Batches of a step."}, {.min = 1}, options.step.accumulate);
  app.number(
      {"--max-length", "N",
       "Longer texts are cut or become windows; of pretrain they are bad (default: what the model takes)."},
      {.min = 1}, options.max_length);
  app.flag({"--no-shuffle", "", "Take records in the order of the input."}, in_order_);
  app.number({"--shuffle-buffer", "N", "Records of a pipe among which the next is drawn."}, {.min = 1},
             options.source.buffer_records);
  app.check([this, &app, &options] {
    if (options.step.tokens && app.given("--batch-size"))
      throw cli::UsageError("--batch-size and --batch-tokens exclude each other");
    if (in_order_ && app.given("--shuffle-buffer"))
      throw cli::UsageError("--no-shuffle and --shuffle-buffer exclude each other");
    if (in_order_) options.source.order = data::SourceOptions::Order::given;
    const bool chooses = options.task.kind == train::TaskKind::choose;
    options.step.sequences = sequences_.value_or(chooses ? 16 : 32);
  });
}

// How long, and with which learning rate.
class ScheduleOptions {
 public:
  ScheduleOptions(cli::App& app, train::TrainingOptions& options);
  ScheduleOptions(const ScheduleOptions&) = delete;

  // What depends on the inputs: to be called by a check, when options.stream has them.
  void settle(train::TrainingOptions& options) const;

 private:
  std::optional<double> rate_;
  std::optional<cli::CountOrShare> warmup_;
};

inline ScheduleOptions::ScheduleOptions(cli::App& app, train::TrainingOptions& options) {
  auto& run = options.run;
  app.section("Schedule");
  app.number({"--steps", "N", "Stop after so many steps."}, {.min = 1, .max = kMostSteps}, run.extent.steps);
  app.number({"--epochs", "N", "Stop after so many passes over the FILEs (default 3; of pretrain 1)."},
             {.min = 1}, options.source.epochs);
  app.custom({"--budget", "TIME", "Stop after this time: 45s, 90m, 1h30m, 2d."},
             [&run](const std::string& name, const std::string& value) {
               run.extent.budget_s = cli::duration_s(name, value);
             });
  app.real({"--lr", "R", "Highest learning rate (default 1e-4 of pretrain, 2e-5 of choose, else 5e-5)."},
           {.min = 0, .max = 1e9}, rate_);
  app.custom({"--warmup", "N|SHARE",
              "Steps over which the rate rises, or their share: 0.1, 10% (default 10%; of pretrain 1%)."},
             [this](const std::string& name, const std::string& value) {
               warmup_ = cli::count_or_share(name, value);
             });
  using enum train::Decay;
  app.choice<train::Decay>(
      {"--schedule", "", "How the rate falls; google: linear, counted from the beginning."},
      {{"linear", linear}, {"cosine", cosine}, {"constant", constant}, {"google", google}},
      run.schedule.decay);
}

inline void ScheduleOptions::settle(train::TrainingOptions& options) const {
  using cli::UsageError;
  const auto& extent = options.run.extent;
  if (extent.steps.has_value() + extent.budget_s.has_value() + options.source.epochs.has_value() > 1)
    throw UsageError("--steps, --epochs and --budget exclude each other");
  const auto& files = options.stream.files;
  const bool piped = files.empty() || std::ranges::find(files, "-") != files.end();
  const bool endless = piped && !extent.steps && !extent.budget_s;
  if (piped && options.source.epochs.value_or(1) > 1)
    throw UsageError("stdin is read once: more --epochs need FILEs");
  if (endless && options.run.schedule.decay != train::Decay::constant)
    throw UsageError(
        "the length of stdin is not known: --steps or --budget says when the rate is to be 0, "
        "--schedule constant that it is not");
  // The paper's, of pre-training in appendix A.2, of fine-tuning in A.3 and section 4.
  const auto kind = options.task.kind;
  const bool pretrains = kind == train::TaskKind::pretrain;
  const bool measured = extent.steps || extent.budget_s || options.source.epochs;
  if (!pretrains && !piped && !measured) options.source.epochs = 3;
  options.run.schedule.peak = rate_.value_or(pretrains                         ? 1e-4
                                             : kind == train::TaskKind::choose ? 2e-5
                                                                               : 5e-5);
  auto& warmup = options.run.schedule.warmup;
  warmup = {};
  if (!warmup_) {
    if (!endless) warmup.share = pretrains ? 0.01 : 0.1;
  } else if (warmup_->is_share) {
    warmup.share = warmup_->amount;
  } else {
    warmup.steps = static_cast<int64_t>(warmup_->amount);
  }
}

inline void optimizer_options(cli::App& app, train::TrainingOptions& options) {
  auto& optimizer = options.run.optimizer;
  constexpr double kLessThanOne = 0.999999;
  app.section("Optimiser");
  using enum train::Method;
  app.choice<train::Method>({"--optimizer", "", "google: Adam without bias correction, as BERT was trained."},
                            {{"adamw", adamw}, {"google", google}, {"lamb", lamb}}, optimizer.method);
  app.real({"--beta1", "B", "Share of the mean gradient that stays."}, {.min = 0, .max = kLessThanOne},
           optimizer.beta1);
  app.real({"--beta2", "B", "Share of the mean squared gradient that stays."},
           {.min = 0, .max = kLessThanOne}, optimizer.beta2);
  app.real({"--epsilon", "E", "Added to its root (default 1e-8 of adamw, else 1e-6)."},
           {.min = 1e-12, .max = 1}, optimizer.epsilon);
  app.real({"--weight-decay", "D", "Of matrices; biases and layer norms are not decayed."},
           {.min = 0, .max = 1e6}, optimizer.weight_decay);
  app.real({"--clip", "NORM", "Most of the gradient's norm; 0: any."}, {.min = 0, .max = 1e30},
           options.run.clip);
  app.real({"--layer-decay", "R", "Each layer learns at this share of the rate of the one above."},
           {.min = 1e-6, .max = 1}, optimizer.layer_decay);
  app.number({"--freeze", "N", "The embeddings and the first N layers do not learn."}, {.min = 0},
             optimizer.frozen);
  app.section("Randomness");
  app.number({"--seed", "N", "Another number, another outcome; the same, the same."},
             {.min = 0, .max = INT64_MAX}, options.run.seed);
}

// What is told and kept.
inline void output_options(cli::App& app, train::TrainingOptions& options) {
  auto& run = options.run;
  app.section("Output");
  app.option({"--out", "DIR", "Write the model there, and snapshots below it."}, options.out);
  app.flag({"--resume", "", "Go on with the run in --out, if there is one, from its last snapshot."},
           options.resume);
  app.number({"--log-every", "N", "Steps of a line of the journal, on stdout."},
             {.min = 1, .max = kMostSteps}, run.log_every);
  app.number({"--save-every", "N", "Steps between snapshots."}, {.min = 1, .max = kMostSteps},
             run.save_every);
  app.number({"--keep", "N", "Snapshots that are kept."}, {.min = 1}, options.keep);
  app.number({"--eval-every", "N",
              "Steps between measurements on --dev (default: an epoch; of pretrain at the end)."},
             {.min = 1, .max = kMostSteps}, run.eval_every);
  app.option(
      {"--best", "METRIC",
       "Write the model that was best on --dev by it, not the last: loss, accuracy, f1, mlm_accuracy."},
      run.best);
  app.number({"--patience", "N", "Stop when --best has not become better in N measurements."}, {.min = 1},
             run.patience);
  app.option({"--plot", "FILE", "Draw the journal as SVG, anew at each snapshot; needs gnuplot."}, run.plot);
  app.check([&options, &run] {
    if (options.out.empty()) throw cli::UsageError("no --out DIR to write the model to");
    if (options.dev.empty() && run.eval_every) throw cli::UsageError("--eval-every needs --dev FILE");
    if (options.dev.empty() && run.best) throw cli::UsageError("--best needs --dev FILE");
    if (run.patience && !run.best) throw cli::UsageError("--patience needs --best METRIC");
    run.eval_epochs = !run.eval_every && options.task.kind != train::TaskKind::pretrain;
  });
}

}  // namespace bert::cmd
