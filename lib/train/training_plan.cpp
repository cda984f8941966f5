#include "train/training_plan.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "base/error.h"
#include "base/option.h"
#include "base/signals.h"
#include "examples/tag_example.h"
#include "heads/batches.h"
#include "json/json.h"
#include "metric/metrics.h"
#include "task/task.h"

namespace bert::train {
namespace {

// Maximum sequence length in tokens.
int64_t length_of(const TrainingOptions& options, const InitialModel& initial) {
  const auto kind = options.task.kind;
  const int64_t longest = task::reads_masks(kind)
                              ? initial.config.positions
                              : std::min(initial.max_length, task::entry(kind).max_length);
  return heads::sequence_limit(options.max_length, longest, initial.config);
}

// Columns that a table of training records must have. Throws Error if one is missing.
void check_columns(const TrainingTaskOptions& task, bool pair_field_given,
                   const std::vector<std::string>& columns, const io::StreamOptions& stream) {
  using enum task::Task;
  const auto is_column = [&](const std::string& name) {
    return std::ranges::find(columns, name) != columns.end();
  };
  const auto has = [&](const std::string& name) {
    return is_column(name) || std::ranges::any_of(stream.usual.fields, [&](const io::FieldAlias& alias) {
             return alias.field == name && is_column(alias.name);
           });
  };
  std::vector<std::string> needed;
  if (task.kind == classify || task.kind == regress || task.kind == multilabel) {
    if (!has("input_ids")) needed.push_back(task.features.text_field);
    if (task.soft_labels != 1) needed.push_back(task.gold_field());
    if (pair_field_given) needed.push_back(task.features.pair_field);
  } else if (task.kind == embed || task.kind == distill) {
    if (task.kind == embed || !has("input_ids")) needed.push_back(task.features.text_field);
    if (pair_field_given) needed.push_back(task.features.pair_field);
  }
  for (const auto& name : needed)
    if (!has(name)) throw io::MissingColumn(name, columns, stream.field_options, stream.usual.fields);
}

// In steps if their number is known in advance.
Extent extent_of(const TrainingOptions& options, const TrainingPlan& plan, const TrainingTask& task,
                 int64_t records) {
  if (options.steps || options.budget_s) return {.steps = options.steps, .budget_s = options.budget_s};
  if (records == 0) return {};
  if (plan.step.tokens || plan.stream.on_error == io::OnError::skip || task.makes_windows())
    return {.records = records};
  const int64_t sequences = plan.step.sequences * plan.step.accumulate;
  return {.steps = (records + sequences - 1) / sequences};
}

std::string text(const Warmup& warmup) {
  return warmup.share > 0 ? setting(100 * warmup.share) + "%" : setting(warmup.steps);
}

// Settings that affect the results of a run.
Settings settings_of(const TrainingOptions& options, const InitialModel& initial, const TrainingPlan& plan) {
  const auto& [run, step, schedule] = std::tie(options.run, plan.step, plan.schedule);
  const auto& optimizer = run.optimizer;
  Settings settings = {{opt::task, std::string(task::name_of(options.task.kind))},
                       {"the model", setting(initial.config)},
                       {"the vocabulary", setting(initial.tokenizer)},
                       {opt::seed, std::to_string(run.seed)},
                       {opt::steps, setting(options.steps)},
                       {opt::epochs, setting(plan.source.epochs)},
                       {opt::budget, setting(options.budget_s)},
                       {opt::max_length, setting(options.max_length)},
                       {opt::batch_size, step.tokens ? "not set" : setting(step.sequences)},
                       {opt::batch_tokens, setting(step.tokens)},
                       {opt::accumulate, setting(step.accumulate)},
                       {opt::no_shuffle, yes_or_no(options.in_order)},
                       {opt::shuffle_buffer, setting(options.shuffle_buffer)},
                       {opt::lr, setting(schedule.peak)},
                       {opt::warmup, text(schedule.warmup)},
                       {opt::schedule, std::string(name_of(schedule.decay))},
                       {opt::optimizer, std::string(name_of(optimizer.method))},
                       {opt::beta1, setting(optimizer.beta1)},
                       {opt::beta2, setting(optimizer.beta2)},
                       {opt::epsilon, setting(optimizer.epsilon)},
                       {opt::weight_decay, setting(optimizer.weight_decay)},
                       {opt::layer_decay, setting(optimizer.layer_decay)},
                       {opt::freeze, setting(optimizer.frozen)},
                       {opt::clip, setting(run.clip)},
                       {opt::dropout, setting(options.dropout)},
                       {opt::best, run.best.value_or("not set")},
                       {opt::patience, setting(run.patience)}};
  const auto& fields = options.task.features;
  if (fields.text_field != io::kTextField) settings.emplace_back(opt::text_field, fields.text_field);
  if (fields.pair_field != io::kPairField) settings.emplace_back(opt::pair_field, fields.pair_field);
  if (options.task.label_field) settings.emplace_back(opt::label_field, *options.task.label_field);
  const auto add_column = [&settings](Option option, const std::optional<io::ConllColumn>& column) {
    if (column)
      settings.emplace_back(option, column->name.empty() ? std::to_string(column->index + 1) : column->name);
  };
  add_column(opt::word_column, options.stream.word_column);
  add_column(opt::tag_column, options.stream.tag_column);
  if (const auto& share = options.split.share) settings.emplace_back(opt::split, setting(*share));
  if (const auto& fold = options.split.fold)
    settings.emplace_back(opt::fold, std::to_string(fold->first) + "/" + std::to_string(fold->second));
  if (const auto& field = options.split.group_field; !field.empty())
    settings.emplace_back(opt::split_by, field);
  if (run.best) {
    settings.emplace_back(opt::dev, options.dev);
    settings.emplace_back(opt::eval_every, setting(run.eval_every));
  }
  if (fields.document) settings.emplace_back(opt::context, "document");
  if (options.weighted_layers) settings.emplace_back(opt::weighted_layers, "yes");
  if (options.causal) settings.emplace_back(opt::causal, "yes");
  if (plan.dtype == Dtype::bf16) settings.emplace_back(opt::dtype, "bf16");
  settings.emplace_back(kModelPath, initial.path);
  add_settings(initial.tokenizer.config(),
               options.max_length ? std::nullopt : std::optional(plan.task.features.max_length), settings);
  return settings;
}

void check_best(const std::string& best, task::Task kind, const TrainingTask& task) {
  std::vector<std::string> names;
  for (const auto* metric : metric::metrics_of(kind, metric::kDev))
    if (metric->better != metric::Better::neither && task.has(metric->needs))
      names.emplace_back(metric->name);
  if (std::ranges::find(names, best) == names.end())
    throw OptionError(opt::best, " ", best, ": the metrics of this task are ", joined(names));
}

}  // namespace

bool TrainingOptions::reads_stdin() const {
  return stream.files.empty() || std::ranges::find(stream.files, "-") != stream.files.end();
}

TrainingPlan plan_training(const TrainingOptions& options, const InitialModel& initial, Dtype dtype,
                           comm::Communicator& ranks) {
  const auto& defaults = task::entry(options.task.kind);
  TrainingPlan plan = {
      .config = initial.config, .dtype = dtype, .task = options.task, .stream = options.stream};
  auto& config = plan.config;
  if (!config.type->positions_after_padding && !config.type->words_only)
    config.pad_id = initial.tokenizer.pad();
  if (options.causal && config.type->causal.empty())
    throw Error(opt::causal, ": there are no causal models of type ", config.type->name);
  config.causal = config.causal || options.causal;
  config.weighted_layers = config.weighted_layers || options.weighted_layers;
  if (options.dropout)
    config.hidden_dropout = config.attention_dropout = config.classifier_dropout = *options.dropout;
  if (options.dropout) config.embedding_dropout.reset();
  if (options.steps != 0) config.kept_options = options.kept_options;
  plan.task.features.max_length = length_of(options, initial);
  plan.task.seed = options.run.seed;
  if (plan.task.features.document) {
    plan.stream.context_words = plan.task.features.max_length;
    if (plan.task.soft_labels != 1) plan.stream.context_tags = plan.task.gold_field();
    if (plan.task.soft_labels) plan.stream.context_scores = examples::kTagScores;
  }

  plan.stream.check_columns = [&options](const std::vector<std::string>& columns) {
    check_columns(options.task, options.pair_field_given, columns, options.stream);
  };
  using Order = examples::SourceOptions::Order;
  plan.source = {.order = options.in_order ? Order::given : Order::shuffled,
                 .seed = options.run.seed,
                 .epochs = options.epochs,
                 .buffer_records = options.shuffle_buffer,
                 .interrupted = StopOnSignal::requested,
                 .ranks = ranks.alone() ? nullptr : &ranks};
  if (!options.epochs && !options.steps && !options.budget_s && !options.reads_stdin())
    plan.source.epochs = defaults.epochs;
  plan.step = {.sequences = options.batch_size.value_or(defaults.batch_size),
               .tokens = options.batch_tokens,
               .accumulate = options.accumulate};

  const Warmup warmup = options.endless() ? Warmup() : Warmup{.share = defaults.warmup_share};
  plan.schedule = {.decay = options.decay,
                   .peak = options.rate.value_or(task::default_rate(options.task.kind, config.hidden)),
                   .warmup = options.warmup.value_or(warmup)};
  return plan;
}

void require_length(const TrainingOptions& options, const TrainingPlan& plan) {
  if (options.steps || options.budget_s) return;
  if (options.decay != Decay::constant)
    throw Error("the length of a pipe is unknown, so the learning rate needs ", opt::steps, " or ",
                opt::budget, ", or ", opt::schedule, " constant");
  if (plan.schedule.warmup.share > 0)
    throw Error("the length of a pipe is unknown, so ", opt::warmup, " must be a number of steps");
}

void warn_of_warmup(const RunPlan& plan, Log& log) {
  const auto warmup = plan.schedule.warmup.steps;
  if (const auto& steps = plan.extent.steps; steps && warmup > *steps)
    log.warn(opt::warmup + " " + std::to_string(warmup) + " is longer than the run of " +
             counted(*steps, "step", "steps") + ": the full learning rate is never reached");
}

RunPlan plan_run(const TrainingOptions& options, const InitialModel& initial, const TrainingPlan& plan,
                 const TrainingTask& task, int64_t records, int processes) {
  const Extent extent = extent_of(options, plan, task, records);
  Settings settings = settings_of(options, initial, plan);
  task.add_settings(settings);
  if (processes > 1) settings.emplace_back(kProcesses, std::to_string(processes));
  if (options.run.best) check_best(*options.run.best, options.task.kind, task);
  return {.options = options.run,
          .extent = extent,
          .schedule = plan.schedule,
          .logs_peak_rate = !options.rate,
          .eval_epochs = !options.run.eval_every && !task::reads_masks(options.task.kind),
          .settings = settings};
}

}  // namespace bert::train
