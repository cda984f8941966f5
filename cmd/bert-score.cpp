// bert-score: compares predictions with gold labels and prints metrics.
#include <unistd.h>

#include <algorithm>

#include "base/gnuplot.h"
#include "base/option.h"
#include "cli/app.h"
#include "metric/judgments.h"
#include "metric/run_filter.h"
#include "metric/score_filter.h"
#include "model/directory.h"
#include "options/model_directory.h"
#include "options/number_options.h"
#include "options/plot_option.h"
#include "options/stream_options.h"
#include "options/task_choices.h"
#include "text/version.h"

namespace opt = bert::opt;

namespace {

using namespace bert;
using cli::UsageError;
using task::Task;

// Options that are interpreted after the whole command line has been read.
struct Flags {
  std::optional<Task> task;
  std::vector<std::string> metrics;
  std::string model;
  bool report = false, confusion = false, calibrate = false;
};

// Options that replace the object of metrics by something else.
constexpr std::pair<const char*, metric::Result> kResults[] = {
    {"--report", metric::Result::report},         {"--confusion", metric::Result::confusion},
    {"--curve", metric::Result::curve},           {"--threshold", metric::Result::threshold},
    {"--calibrate", metric::Result::calibration}, {"--by", metric::Result::by},
    {"--worst", metric::Result::worst},           {"--against", metric::Result::against}};

// Whether a result consists of metrics, which --metric may choose.
bool has_metrics(metric::Result result) {
  using enum metric::Result;
  return result == metrics || result == by || result == against;
}

void score_options(cli::App& app, metric::ScoreFilterOptions& options, Flags& flags) {
  auto& score = options.score;
  app.section("Task");
  app.choice({opt::task, "", "Task of the predictions; required unless --metric names a benchmark."},
             cmd::task_choices(&task::Entry::scored), flags.task);
  app.list({opt::metric, "NAME,...",
            "Write only these metrics (default: all), or those of a benchmark such as glue/stsb."},
           flags.metrics);
  app.option({opt::positive, "LABEL",
              "For classify: compute f1 of this label (default: of two labels, the one with the higher id)."},
             score.positive)
      .only_for = cmd::tasks({Task::classify});
  app.number({opt::top_k, "N",
              "For fill: score the top N candidates of each masked token (default: all). For rank: k of the "
              "metrics at k (default 10). For classify: add the share of gold labels among the N best."},
             {.min = 1}, score.top_k)
      .only_for = cmd::tasks({Task::fill, Task::rank, Task::classify});
  app.number({opt::mask_id, "N",
              "For fill: ignore masked tokens whose id in input_ids is not N, the id of [MASK]."},
             {}, score.mask_id)
      .only_for = cmd::tasks({Task::fill});
  using enum metric::Scheme;
  app.choice<std::optional<metric::Scheme>>(
         {opt::scheme, "",
          "For tag: count only the entities that are valid in this scheme, or (auto) all entities in any "
          "scheme, "
          "or tags without prefixes."},
         {{"auto", std::nullopt},
          {"iob1", iob1},
          {"iob2", iob2},
          {"ioe1", ioe1},
          {"ioe2", ioe2},
          {"iobes", iobes},
          {"bilou", bilou}},
         score.scheme)
      .only_for = cmd::tasks({Task::tag});
  app.real({opt::no_answer_threshold, "T",
            "For answer: count predictions with a null score above T as \"no answer\"."},
           {.min = -1e300, .max = 1e300}, score.no_answer_threshold)
      .only_for = cmd::tasks({Task::answer});
  app.section("Gold labels");
  app.option({opt::gold, "FILE",
              "Read gold labels from this JSONL, TSV, CSV, CoNLL or SQuAD file, joined by id (default: from "
              "the records)."},
             options.gold);
  app.option({"-m,--model", "DIR",
              "Read fields and tables as in the training of this model: its --label-field, --text-field, "
              "--delimiter and --columns are the defaults."},
             flags.model);
  app.option({opt::id_field, "NAME",
              "Field with the id that joins predictions and gold labels (default id; if neither have ids, "
              "they are joined by order)."},
             options.id_field);
  app.option({opt::label_field, "NAME", "Field with the gold label (default: that of training records)."},
             score.label_field);
  app.option(
         {"--null-scores", "FILE",
          "For answer: read null scores from this JSON object by id, such as run_squad.py's null_odds.json."},
         options.null_scores)
      .only_for = cmd::tasks({Task::answer});
}

// "f1", "precision=0.9" or "recall=0.9".
metric::ThresholdGoal threshold_goal(const std::string& name, const std::string& value) {
  using enum metric::ThresholdGoal::Kind;
  if (value == "f1") return {};
  const auto equals = value.find('=');
  const auto word = value.substr(0, equals);
  if (equals == value.npos || (word != "precision" && word != "recall"))
    throw UsageError(name, " must be f1, precision=P or recall=R, not \"", value, "\"");
  return {.kind = word == "recall" ? recall : precision,
          .value = cli::App::real_number(name + " " + word, value.substr(equals + 1), {.min = 0, .max = 1})};
}

// Under the heading Output.
void result_options(cli::App& app, metric::ScoreFilterOptions& options, Flags& flags) {
  using E = task::Entry;
  const auto only_for = [](cli::Declaration& option, bool E::*tasks) {
    option.only_for = cmd::tasks(task::tasks_with(tasks));
  };
  only_for(app.flag({"--report", "",
                     "Write precision, recall, F1 and support of each label, and their averages, as rows."},
                    flags.report),
           &E::reported);
  only_for(
      app.flag({"--confusion", "",
                "Write the confusion matrix: a row for each gold label, a column for each predicted one."},
               flags.confusion),
      &E::confused);
  only_for(app.choice<metric::CurveKind>(
               {"--curve", "", "Write the points of the ROC or precision-recall curve as rows."},
               {{"roc", metric::CurveKind::roc}, {"pr", metric::CurveKind::precision_recall}}, options.curve),
           &E::curved);
  only_for(
      app.custom({"--threshold",
                  "f1|precision=P|recall=R",
                  "Write the threshold of the score with the best F1, or with the best recall or precision "
                  "among those with precision P or recall R.",
                  "",
                  {"f1", "precision=", "recall="}},
                 [&](const std::string& name, const std::string& value) {
                   options.threshold = threshold_goal(name, value);
                 }),
      &E::curved);
  only_for(
      app.flag({"--calibrate", "",
                "Write what calibrates the scores, for bert-convert --calibration: a scale for all labels "
                "(classify), or a scale and an offset for each (multilabel)."},
               flags.calibrate),
      &E::curved);
  app.option(
      {"--by", "FIELD", "Write a row of metrics for all records, and one for each value of this field."},
      options.by);
  only_for(
      app.number({"--worst", "N", "Write the N records whose wrong predictions have the highest losses."},
                 {.min = 1}, options.worst),
      &E::has_loss);
  app.option(
      {"--against", "FILE",
       "Compare the metrics with those of other predictions for the same gold labels, with intervals and "
       "p-values."},
      options.against);
  app.number(
      {"--bootstrap", "N",
       "Write 95 % intervals of metrics, from N samples of the records, or for rank of the queries (default: "
       "none; with --against: 1000)."},
      {.min = 1, .max = 1000000}, options.bootstrap);
  std::vector<std::string> names;
  for (const auto& [name, result] : kResults) {
    if (!has_metrics(result)) app.excludes({name}, opt::metric);
    names.emplace_back(name);
  }
  app.exclusive(names);
}

// Whether the input has what a search ranked, and the gold FILE what is relevant.
bool is_of_run(const metric::ScoreFilterOptions& options) {
  return options.score.task == Task::rank && !options.gold.empty();
}

// Rows are text for people on a terminal.
void settle_result(const cli::App& app, metric::ScoreFilterOptions& options, io::StreamOptions& stream) {
  for (const auto& [name, result] : kResults)
    if (app.given(name)) options.result = result;
  if (options.plot && options.result != metric::Result::curve && !task::entry(options.score.task).plotted)
    throw UsageError("--plot with --task ", task::name_of(options.score.task), " needs --curve");
  const bool is_shown = stream.output == "-" && ::isatty(STDOUT_FILENO) == 1;
  if (options.bootstrap && !has_metrics(options.result))
    throw UsageError("--bootstrap is for metrics, with or without --by or --against");
  if (app.given(opt::seed) && !options.bootstrap && options.against.empty())
    throw UsageError(opt::seed, " needs --bootstrap or --against");
  if (options.against == "-") throw UsageError("--against must be a file, not -");
  if (options.result == metric::Result::by && is_of_run(options))
    throw UsageError("--by is not for the results of a search");
  if (options.result == metric::Result::worst && stream.format == io::Format::text)
    throw UsageError("--worst writes records, which have no ", opt::format, " text");
  const bool has_rows = options.result != metric::Result::metrics && options.result != metric::Result::worst;
  if (has_rows && is_shown && !app.given(opt::format)) stream.format = io::Format::text;
  options.as_text = stream.format == io::Format::text;
  options.score.pairs = options.result == metric::Result::confusion || options.plot;
}

std::string metric_hint(const std::string& name, std::vector<std::string> names) {
  const auto benchmarks = metric::benchmark_names();
  names.insert(names.end(), benchmarks.begin(), benchmarks.end());
  return cli::word_hint(name, names);
}

// Determines the task and metrics from their names.
void settle_metrics(const Flags& flags, metric::ScoreOptions& score) {
  const auto* benchmark = flags.metrics.size() == 1 ? metric::find_benchmark(flags.metrics[0]) : nullptr;
  if (benchmark != nullptr) {
    if (flags.task && *flags.task != benchmark->task)
      throw UsageError("--metric ", benchmark->name, " requires --task ", task::name_of(benchmark->task));
    score.task = benchmark->task;
    score.metrics = benchmark->metrics;
    score.benchmark = true;
    score.usual_positive = benchmark->positive;
    score.version = benchmark->version;
    return;
  }
  const bool unknown = !flags.metrics.empty() && metric::find_benchmark(flags.metrics.front()) == nullptr;
  if (!flags.task && unknown && flags.metrics.front().find('/') != std::string::npos)
    throw UsageError("--metric ", flags.metrics.front(), " is no benchmark; they are ",
                     listed(metric::benchmark_names(), "and"), metric_hint(flags.metrics.front(), {}));
  if (!flags.task)
    throw UsageError("--task is missing; without it, --metric must be one of ",
                     listed(metric::benchmark_names(), "or"),
                     flags.metrics.empty() ? "" : metric_hint(flags.metrics.front(), {}));
  score.task = *flags.task;
  const auto known = metric::metric_names(score.task, metric::kScore);
  for (const auto& name : flags.metrics) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    if (metric::find_benchmark(name) != nullptr)
      throw UsageError("--metric ", name, " names a benchmark, which cannot be combined with other metrics");
    throw UsageError("--metric ", name, " is neither a benchmark nor a metric of ", task::name_of(score.task),
                     ", which are ", listed(known, "and"), metric_hint(name, known));
  }
  score.metrics = flags.metrics;
}

std::vector<std::string_view> plotted_tasks() {
  std::vector<Task> tasks = task::tasks_with(&task::Entry::scored);
  std::erase_if(tasks, [](Task task) { return !task::entry(task).plotted && !task::entry(task).curved; });
  return cmd::tasks(tasks);
}

// A run and its judgments have fields of their own, except what a search found for a record.
void check_run(const cli::App& app, io::StreamOptions& stream) {
  for (const auto name : {opt::label_field, opt::text_field})
    if (app.given(name)) throw UsageError(name, " is for records, not for a run and its judgments");
  if (app.given(opt::id_field)) stream.format_options.push_back({opt::id_field, io::RecordKind::json});
}

// Sets input formats that belong to a single task.
void settle_input(metric::ScoreFilterOptions& options, io::StreamOptions& stream) {
  using io::InputFormat;
  const bool answers = options.score.task == Task::answer && !options.gold.empty();
  const bool joined_tags = options.score.task == Task::tag && !options.gold.empty();
  const bool tags = options.score.task == Task::tag && options.gold.empty();
  if (stream.input_format == InputFormat::squad && !answers)
    throw UsageError("--input-format squad, an object of answers by id, requires --task answer and --gold");
  if (stream.input_format == InputFormat::conll && options.score.task != Task::tag)
    throw UsageError("--input-format conll requires --task tag");
  if (stream.input_format == InputFormat::squad) stream.input_format = InputFormat::object;
  if (stream.input_format == InputFormat::conll && tags) stream.input_format = InputFormat::documents;
  if (answers) stream.recognize = metric::recognize_answers;
  stream.header_fields = {"prediction"};
  if (is_of_run(options)) {
    stream.recognize = metric::recognize_run;
    stream.header_fields = {std::string(metric::kQueryId), std::string(metric::kDocumentId)};
  }
  if (tags) stream.recognize = metric::recognize_conll;
  stream.predicted_tags = stream.tagged_rows = joined_tags;
  if (joined_tags) stream.more = io::formats_of({io::RecordKind::tagged});
  stream.no_texts = true;
  options.score.text_field = stream.text_field;
  options.on_error = stream.on_error;
}

}  // namespace

int main(int argc, char** argv) {
  cli::App app("bert-score", "Compare predictions with gold labels and write one JSON object of metrics.");
  metric::ScoreFilterOptions options;
  Flags flags;
  score_options(app, options, flags);
  cmd::StreamOptions stream(app, {.more = {io::InputFormat::conll, io::InputFormat::squad},
                                  .pair = false,
                                  .folders = false,
                                  .records = false});
  app.section("Output");
  result_options(app, options, flags);
  cmd::format_option(app, io::formats_of({io::FormatGroup::json, io::FormatGroup::table}, {io::Format::text}),
                     stream.settings.format,
                     "Write the result as JSON, as a table, or as text for people: aligned and rounded.");
  cmd::plot_option(
      app, "Draw the result as SVG: confusion matrix, calibration, scatter plot or curve; needs gnuplot.",
      options.plot)
      .only_for = plotted_tasks();
  for (const cli::Use& option : std::vector<cli::Use>{"--null-scores", opt::id_field, opt::tag_column})
    app.needs(option, opt::gold);
  cmd::precision_option(app, options.precision);
  cmd::seed_option(app, options.seed);
  app.check([&] {
    settle_metrics(flags, options.score);
    cmd::select_task(app, options.score.task);
    if (is_of_run(options)) check_run(app, stream.settings);
    if (options.gold.empty() && options.score.label_field == "prediction")
      throw UsageError("--label-field is \"prediction\", the field that is scored");
    stream.name_field(options.score.gold_field(), opt::label_field);
    stream.name_field(options.id_field, opt::id_field);
    if (!options.by.empty()) stream.name_field(options.by, "--by");
    if (!flags.model.empty()) flags.model = cmd::find_model_directory(flags.model);
    if (!flags.model.empty()) cmd::read_files_of(app, flags.model);
    app.reads(opt::gold, options.gold);
    app.reads("--null-scores", options.null_scores);
    app.reads("--against", options.against);
    app.writes(opt::plot, options.plot.value_or(""));
    settle_input(options, stream.settings);
    settle_result(app, options, stream.settings);
  });
  app.version_of(text::version);
  app.examples({{"Score a classifier on records with gold labels",
                 "bert-predict -m classify test.jsonl | bert-score --task classify"},
                {"Compute the metrics of a benchmark, with gold labels in another file",
                 "bert-score --metric glue/stsb --gold gold.tsv predictions.jsonl"}});
  app.ability_of(gnuplot_version);
  return app.run(argc, argv, [&] {
    if (!flags.model.empty())
      stream.take_kept(model::open_directory(flags.model).config.kept_options,
                       task::entry(options.score.task).gold_field);
    if (const auto& tag = stream.settings.usual.tag; tag && tag->name.empty())
      options.score.gold_column = tag->index;
    options.pool = &stream.pool();
    if (is_of_run(options)) {
      metric::RunFilter filter(options, stream.settings, app.log());
      return stream.transform(filter);
    }
    metric::ScoreFilter filter(options, stream.settings, app.log());
    return stream.transform(filter);
  });
}
