// The option groups of bert-train, each in the words of what it sets.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/file.h"
#include "base/option.h"
#include "cli/amounts.h"
#include "features/features.h"
#include "model/config.h"
#include "model/directory.h"
#include "model/save.h"
#include "options/model_directory.h"
#include "options/model_options.h"
#include "options/number_options.h"
#include "options/plot_option.h"
#include "options/stream_options.h"
#include "options/task_choices.h"
#include "options/tokenizer_options.h"
#include "text/tokenizer.h"
#include "train/training_plan.h"

namespace bert::cmd {

constexpr int64_t kMostSteps = 1'000'000'000'000;

// The model that training starts from: one in a directory, or a new one for a vocabulary.
class InitialModelOptions {
 public:
  InitialModelOptions(cli::App& app, train::TrainingOptions& options);
  InitialModelOptions(const InitialModelOptions&) = delete;

  // In the body of App::run.
  train::InitialModel load() const;

 private:
  void check(const train::TrainingOptions& options);

  std::string model_, config_, vocab_;
  std::optional<model::Preset> preset_;
  std::optional<CaseOptions> case_;
  bool detects_replaced_ = false;  // a new model is a discriminator of ELECTRA
};

inline InitialModelOptions::InitialModelOptions(cli::App& app, train::TrainingOptions& options) {
  app.section("Model");
  app.option({"-m,--model", "DIR", "Start from this model (default: $BERT_MODEL, else the default model)."},
             model_);
  cli::Choices<model::Preset> presets;
  for (const auto& preset : model::kPresets) presets.push_back({preset.name, preset});
  app.choice({"--preset", "", "Train a new model of this size from random weights; needs --vocab."}, presets,
             preset_);
  app.option(
      {"--model-config", "FILE", "Train a new model with the sizes in this config.json; needs --vocab."},
      config_);
  app.option({"--vocab", "FILE", "Vocabulary of the new model; settings are read from the files beside it."},
             vocab_);
  case_.emplace(app);
  using enum model::PositionStart;
  app.choice<model::PositionStart>({"--init-positions", "",
                                    "Initial position embeddings of a new model: random, sinusoids, or "
                                    "sinusoids and attention heads that attend to neighbouring tokens."},
                                   {{"normal", normal}, {"sinusoid", sinusoid}, {"neighbours", neighbours}},
                                   options.positions);
  app.flag({opt::causal, "",
            "Let each token attend only to itself and the tokens before it (left-to-right, is_decoder in "
            "config.json); pretrain then predicts the next token."},
           options.causal);
  app.flag({opt::weighted_layers, "",
            "Let the head read a learned weighted sum of all layers instead of the last layer."},
           options.weighted_layers)
      .only_for = tasks({task::Task::classify, task::Task::regress, task::Task::multilabel, task::Task::tag,
                         task::Task::answer, task::Task::choose});
  app.flag({opt::moments, "", "Also start from the optimizer state in the model's last checkpoint."},
           options.moments);
  app.real({opt::dropout, "P", "Dropout rate (default: that of config.json; 0.1 for a new model)."},
           {.min = 0, .max = 0.99}, options.dropout);
  app.flag(
      {"--recompute", "", "Recompute activations in the backward pass: less memory, slower, same results."},
      options.recompute);
  dtype_option(app, Int8::no, options.dtype);
  app.exclusive({"--model", "--preset", "--model-config"});
  app.check([this, &app, &options] {
    check(options);
    read_files_of(app, model_);
    app.reads("--model-config", config_);
    const auto& out = options.run.out;
    if (options.run.force && !options.resume && !config_.empty() &&
        same_file(std::filesystem::absolute(config_).parent_path(), out))
      throw cli::UsageError("--model-config ", config_, " belongs to what --force would replace in -o ", out,
                            "; name another directory");
    if (!vocab_.empty()) read_files_beside(app, vocab_, "--vocab");
    if (!model_.empty() && app.given("--init-positions"))
      throw cli::UsageError("--init-positions needs a new model: --preset or --model-config");
  });
}

inline void InitialModelOptions::check(const train::TrainingOptions& options) {
  using cli::UsageError;
  detects_replaced_ = options.task.kind == task::Task::replaced;
  if (preset_ || !config_.empty()) {
    if (vocab_.empty()) throw UsageError("a new model needs --vocab FILE");
    if (config_ == "-") throw UsageError("--model-config must be a file, not stdin");
    if (options.moments) throw UsageError("--moments needs a model with checkpoints: -m DIR");
    return;
  }
  model_ = model_directory(model_, "use -m DIR, or --preset or --model-config for a new model");
  if (!vocab_.empty()) throw UsageError("--vocab needs a new model; ", model_, " has its own vocabulary");
}

inline train::InitialModel InitialModelOptions::load() const {
  const auto letter_case = case_->value();
  if (!model_.empty()) {
    const auto directory = model::open_directory(model_);
    return {.path = directory.path,
            .config = directory.config,
            .max_length = directory.max_length,
            .tokenizer_source = directory.path,
            .tokenizer = model::load_tokenizer(directory, letter_case),
            .sentence = directory.sentence};
  }
  auto tokenizer = text::load_vocab(vocab_, text::Compat::hf, letter_case);
  auto config = preset_ ? model::config_of(*preset_, tokenizer.size())
                        : model::parse_config(config_, read_file(config_));
  if (preset_ && detects_replaced_) config.type = model::find_model_type("electra");
  return {.path = "",
          .config = config,
          .max_length = config.positions,
          .tokenizer_source = vocab_,
          .tokenizer = std::move(tokenizer)};
}

// A dev set that is taken from the training records.
inline void split_options(cli::App& app, examples::SplitOptions& split, std::string& file) {
  app.custom(
      {opt::split, "SHARE",
       "Hold out this share of the training records, such as 0.1 or 10%, as the dev set; for classify, of "
       "each label."},
      [&split](const std::string& name, const std::string& value) {
        const auto [amount, is_share] = cli::count_or_share(name, value);
        if (!is_share || amount <= 0 || amount >= 1)
          throw cli::UsageError(name, " must be a share between 0 and 1, such as 0.1 or 10%, not \"", value,
                                "\"");
        split.share = amount;
      });
  app.custom(
      {opt::fold, "I/K", "Hold out the I-th of K folds of the training records, for cross-validation."},
      [&split](const std::string& name, const std::string& value) {
        const auto slash = value.find('/');
        if (slash == value.npos)
          throw cli::UsageError(name, " must be a number of K, such as 1/5, not \"", value, "\"");
        const auto folds = cli::App::whole_number(name, value.substr(slash + 1), {.min = 2, .max = 10000});
        split.fold = {cli::App::whole_number(name, value.substr(0, slash), {.min = 1, .max = folds}), folds};
      });
  app.option(
      {opt::split_by, "FIELD", "Keep records with the same value of FIELD together when some are held out."},
      split.group_field);
  app.option({opt::held_out, "FILE", "Write the records that are held out to FILE, as JSONL."}, file)
      .may_differ = true;
  app.exclusive({opt::dev, opt::split, opt::fold});
  app.check([&app, &split, &file] {
    if (!split.group_field.empty() && !split.any())
      throw cli::UsageError(opt::split_by, " needs ", opt::split, " or ", opt::fold);
    if (!file.empty() && !split.any())
      throw cli::UsageError(opt::held_out, " needs ", opt::split, " or ", opt::fold);
    app.writes(opt::held_out, file);
    if (!split.any()) return;
    for (const Option rows : {opt::teacher_vectors, opt::dev_vectors, opt::guide_vectors})
      if (app.given(rows))
        throw cli::UsageError(rows, ", with a row for each record, cannot be used with ", opt::split, " or ",
                              opt::fold, "; have the vectors in the records");
    if (app.given(opt::context))
      throw cli::UsageError(opt::context, " cannot be used with ", opt::split, " or ", opt::fold);
  });
}

// The training records, and how they are divided into steps. FILEs are settings of the stream.
inline void data_options(cli::App& app, train::TrainingOptions& options) {
  app.section("Data");
  app.option({opt::dev, "FILE", "Evaluate on the records of FILE, the dev set."}, options.dev);
  split_options(app, options.split, options.held_out);
  auto& baseline = app.flag(
      {opt::baseline, "",
       "First measure what needs no network on the dev set: the most frequent label, and a linear model of "
       "the tokens of a text."},
      options.baseline);
  baseline.only_for = tasks({task::Task::classify, task::Task::regress, task::Task::multilabel});
  baseline.may_differ = true;
  app.check([&options] {
    if (!options.baseline) return;
    if (!options.has_dev() || options.steps == 0)
      throw cli::UsageError(opt::baseline, " needs training records, and ", opt::dev, ", ", opt::split,
                            " or ", opt::fold);
    if (options.task.soft_labels == 1.0F)
      throw cli::UsageError(opt::baseline, " learns gold labels, which ", opt::soft_labels,
                            " 1 does not read");
  });
  app.number({opt::batch_size, "N", "Number of records per batch (default 32; choose: 16; embed: 64)."},
             {.min = 1}, options.batch_size);
  app.number({opt::batch_tokens, "N", "Number of tokens per batch, instead of --batch-size."}, {.min = 1},
             options.batch_tokens);
  app.number({opt::accumulate, "N", "Number of batches per step (gradient accumulation)."}, {.min = 1},
             options.accumulate);
  app.number(
      {opt::max_length, "N",
       "Maximum sequence length in tokens (default: that of the model). Longer texts are truncated; tag and "
       "answer split them into windows, pretrain and replaced report an error."},
      {.min = 1}, options.max_length);
  app.flag({opt::no_shuffle, "", "Read records in input order."}, options.in_order);
  app.number({opt::shuffle_buffer, "N", "Number of records in the shuffle buffer of a pipe."}, {.min = 1},
             options.shuffle_buffer);
  app.check([&options] {
    const auto asked = options.max_length.value_or(features::kNoLimit);
    if (const auto wrong = features::impossible_length({.max_length = asked})) throw cli::UsageError(*wrong);
  });
  app.exclusive({opt::batch_size, opt::batch_tokens});
  app.exclusive({opt::no_shuffle, opt::shuffle_buffer});
}

// How long, and with which learning rate.
inline void schedule_options(cli::App& app, train::TrainingOptions& options) {
  app.section("Schedule");
  app.number({opt::steps, "N", "Number of steps; 0 only evaluates the model on --dev."},
             {.min = 0, .max = kMostSteps}, options.steps);
  app.number({opt::epochs, "N",
              "Number of passes over the FILEs (default 3; pretrain, replaced, embed, distill: 1)."},
             {.min = 1}, options.epochs);
  app.custom({opt::budget, "TIME", "Stop after this time, such as 45s, 90m, 1h30m or 2d."},
             [&options](const std::string& name, const std::string& value) {
               options.budget_s = cli::duration_s(name, value);
             });
  app.real(
      {opt::lr, "R",
       "Peak learning rate (default: by task and hidden size; 5e-5 to fine-tune BERT-base, 3e-4 a mini)."},
      {.min = 0, .max = 1e9}, options.rate);
  app.custom({opt::warmup, "N|SHARE",
              "Number of warmup steps, or their share of the run, such as 0.1 or 10% (default 10%; pretrain, "
              "replaced, distill: 1%)."},
             [&options](const std::string& name, const std::string& value) {
               const auto [amount, is_share] = cli::count_or_share(name, value);
               options.warmup = is_share ? train::Warmup{.share = amount}
                                         : train::Warmup{.steps = static_cast<int64_t>(amount)};
             });
  app.exclusive({opt::steps, opt::epochs, opt::budget});
  app.choice<train::Decay>(
      {opt::schedule, "", "Learning-rate decay after warmup; google: linear, measured from the first step."},
      {std::begin(train::kDecays), std::end(train::kDecays)}, options.decay);
}

// To be called by a check, when options.stream has the inputs.
inline void check_schedule(const train::TrainingOptions& options) {
  if (options.reads_stdin() && options.epochs.value_or(1) > 1)
    throw cli::UsageError("stdin can be read only once: more --epochs need FILEs");
  if (options.endless() && options.decay != train::Decay::constant)
    throw cli::UsageError(
        "the length of stdin is unknown, so the learning rate needs --steps or --budget, or --schedule "
        "constant");
}

inline void optimizer_options(cli::App& app, train::TrainingOptions& options) {
  auto& optimizer = options.run.optimizer;
  constexpr double kLessThanOne = 0.999999;
  app.section("Optimizer");
  app.choice<train::Method>(
      {opt::optimizer, "", "Optimizer; google: Adam without bias correction, as in Google's BERT."},
      {std::begin(train::kMethods), std::end(train::kMethods)}, optimizer.method);
  app.real({opt::beta1, "B", "Decay rate of the first moment."}, {.min = 0, .max = kLessThanOne},
           optimizer.beta1);
  app.real({opt::beta2, "B", "Decay rate of the second moment."}, {.min = 0, .max = kLessThanOne},
           optimizer.beta2);
  app.real({opt::epsilon, "E",
            "Constant added to the root of the second moment (default 1e-8 for adamw, else 1e-6)."},
           {.min = 1e-12, .max = 1}, optimizer.epsilon);
  app.real({opt::weight_decay, "D",
            "Weight decay of matrices and embeddings, not of biases and layer normalization."},
           {.min = 0, .max = 1e6}, optimizer.weight_decay);
  app.real({opt::clip, "NORM", "Clip gradients to this norm; 0 turns clipping off."}, {.min = 0, .max = 1e30},
           options.run.clip);
  app.real(
      {opt::layer_decay, "R", "Multiply the learning rate of each layer by R relative to the layer above."},
      {.min = 1e-6, .max = 1}, optimizer.layer_decay);
  app.custom({opt::freeze, "N|all", "Do not train the embeddings and the first N layers, or all layers."},
             [&optimizer](const std::string& name, const std::string& value) {
               if (value != "all" && value.find_first_not_of("-0123456789") != value.npos)
                 throw cli::UsageError(name, " must be a number of layers or all, not \"", value, "\"");
               optimizer.frozen =
                   value == "all" ? train::kAllLayers : cli::App::whole_number(name, value, {.min = 0});
             });
  seed_option(app, options.run.seed);
}

// In the body of App::run: what is probably not meant, such as files that are read more than once.
inline void note_files(cli::App& app, const train::TrainingOptions& options) {
  if (options.steps == 0) return;
  const auto dev = options.dev.empty() ? "" : cli::identity(options.dev, STDIN_FILENO);
  std::set<std::string> seen;
  for (const auto& file : options.stream.files) {
    const auto place = cli::identity(file, STDIN_FILENO);
    if (place.empty()) continue;
    if (!seen.insert(place).second) {
      app.log().warn(file + " is given twice: each epoch has its records twice");
    } else if (place == dev) {
      app.log().warn(file + " is also --dev: the dev metrics are those of training records");
    }
  }
  if (app.given(opt::shuffle_buffer) && io::can_read_again(options.stream.files))
    app.log().warn(opt::shuffle_buffer + " has no effect: all records of FILEs are shuffled");
}

// A run that ends before its first step.
inline void check_options(cli::App& app, train::TrainingOptions& options, io::Format& format) {
  app.section("Data");
  app.flag(
      {opt::check, "",
       "Check all records and the options, and report labels, lengths, duplicates, the overlap with --dev, "
       "and estimates of time and memory; do not train.",
       "--dry-run"},
      options.only_checks);
  format_option(app, {io::Format::jsonl, io::Format::text}, format,
                "Format of the report of --check (default on a terminal: text).");
  app.needs(opt::format, opt::check);
  app.check([&app, &options, &format] {
    if (options.only_checks && options.steps == 0)
      throw cli::UsageError(opt::check, " is for training, and ", opt::steps, " 0 does not train");
    if (!app.given(opt::format) && ::isatty(STDOUT_FILENO) == 1) format = io::Format::text;
  });
}

// What is told and kept.
inline void output_options(cli::App& app, train::TrainingOptions& options) {
  auto& run = options.run;
  app.section("Output");
  app.option({"-o,--output", "DIR", "Write the model to DIR, and checkpoints below it.", "--out"}, run.out)
      .may_differ = true;
  app.flag({opt::resume, "", "Continue the run in DIR from its last checkpoint, if there is one."},
           options.resume);
  app.flag({opt::force, "", "Replace a model in DIR; without --resume, also start over if it has a run."},
           run.force);
  app.number({"--log-every", "N", "Number of steps between lines of the training log."},
             {.min = 1, .max = kMostSteps}, run.log_every)
      .may_differ = true;
  app.number({"--save-every", "N", "Number of steps between checkpoints."}, {.min = 1, .max = kMostSteps},
             run.save_every);
  app.number({opt::keep, "N", "Number of checkpoints to keep."}, {.min = 1}, options.keep).may_differ = true;
  app.number(
      {opt::eval_every, "N",
       "Number of steps between evaluations on --dev (default: each epoch; pretrain, replaced: at the end)."},
      {.min = 1, .max = kMostSteps}, run.eval_every);
  app.option(
      {opt::best, "METRIC",
       "Keep the model with the best value of this dev metric instead of the last one: loss, accuracy, f1, "
       "mlm_accuracy, ..."},
      run.best);
  app.number({opt::patience, "N", "Stop when --best has not improved in N evaluations."}, {.min = 1},
             run.patience);
  app.custom(
      {opt::license, "NAME",
       "License of the model, for its card README.md, as the Hugging Face Hub names it: apache-2.0, mit, "
       "cc-by-4.0, ... (default: not stated)."},
      [&options](const std::string& name, const std::string& value) {
        if (value.empty() || value.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789.-") != value.npos)
          throw cli::UsageError(name, " must be in lower case, such as apache-2.0, not \"", value, "\"");
        options.card.license = value;
      });
  app.list({"--language", "CODE,...", "Languages of the texts, for the card, such as en."},
           options.card.languages);
  plot_option(app, "Plot the training log as SVG, updated at each checkpoint; needs gnuplot.", run.plot);
  app.needs(opt::patience, opt::best);
  app.check([&app, &options, &run] {
    if (options.dev == "-") throw cli::UsageError("--dev must be a file, not -");
    app.reads(opt::dev, options.dev);
    app.writes(opt::plot, run.plot.value_or(""));
    app.writes("the training log", "-");
    for (const auto& [name, file] :
         {std::pair(opt::held_out, options.held_out), {opt::plot, run.plot.value_or("")}})
      if (!file.empty() && model::is_in_model(run.out, file))
        throw cli::UsageError(name, " ", file, " is a file of the model in ", run.out);
    const bool trains = options.steps != 0;
    if (run.out == "-") throw cli::UsageError("-o -: a model is a directory and cannot go to stdout");
    if (run.out.empty() && trains && !options.only_checks) throw cli::UsageError("no -o DIR for the model");
    for (const Option option : {opt::eval_every, opt::best})
      if (app.given(option) && !options.has_dev())
        throw cli::UsageError(option, " needs ", opt::dev, ", ", opt::split, " or ", opt::fold);
    if (!trains && options.split.any())
      throw cli::UsageError(opt::steps, " 0 evaluates on --dev: it holds out no training records");
    if (options.dev.empty() && !trains) throw cli::UsageError("--steps 0 needs --dev FILE");
  });
}

}  // namespace bert::cmd
