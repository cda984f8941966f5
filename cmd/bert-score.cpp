// bert-score: predictions with the truth → metrics.
#include <algorithm>

#include "cli/app.h"
#include "cli/precision_option.h"
#include "cli/stream_options.h"
#include "metric/score_filter.h"
#include "text/version.h"

namespace {

using namespace bert;
using cli::UsageError;
using metric::Task;

// What the options say, until the whole command line has been read.
struct Flags {
  std::optional<Task> task;
  std::vector<std::string> metrics;
};

cli::Choices<std::optional<Task>> task_names() {
  using enum Task;
  cli::Choices<std::optional<Task>> names;
  for (const auto task : {fill, next, classify, regress, multilabel, tag, answer, choose, rank})
    names.emplace_back(metric::name_of(task), task);
  return names;
}

void score_options(cli::App& app, metric::ScoreFilterOptions& options, Flags& flags) {
  auto& score = options.score;
  app.section("Task");
  app.choice({"--task", "", "What was predicted."}, task_names(), flags.task);
  app.list(
      {"--metric", "NAME,...", "Metrics to write, or a benchmark as glue/stsb, which also says the task."},
      flags.metrics);
  app.option({"--positive", "LABEL", "Label that f1 of classify is about (default: of two, the higher id)."},
             score.positive);
  app.number({"--top-k", "N", "Candidates of fill that count (default: all that each mask has)."}, {.min = 1},
             score.top_k);
  app.number({"--mask-id", "N", "Of fill, leave out hidden tokens that did not become this id, [MASK]'s."},
             {}, score.mask_id);
  app.real({"--no-answer-threshold", "T", "Take answers whose null score is above T for \"no answer\"."},
           {.min = -1e300, .max = 1e300}, score.no_answer_threshold);
  app.section("Truth");
  app.option({"--gold", "FILE", "JSONL, TSV or SQuAD's JSON with the truth, joined by id."}, options.gold);
  app.option({"--id-field", "NAME", "Field that joins predictions and truth."}, options.id_field);
  app.option({"--label-field", "NAME", "Field that holds the truth (default: that of training records)."},
             score.label_field);
  app.option(
      {"--null-scores", "FILE", "JSON object with the null score of each id, as run_squad's null_odds."},
      options.null_scores);
}

// Task and metrics of their names.
void settle_metrics(const Flags& flags, metric::ScoreOptions& score) {
  const auto* benchmark = flags.metrics.size() == 1 ? metric::find_benchmark(flags.metrics[0]) : nullptr;
  if (benchmark != nullptr) {
    if (flags.task && *flags.task != benchmark->task)
      throw UsageError(benchmark->name, " is for --task ", metric::name_of(benchmark->task));
    score.task = benchmark->task;
    score.metrics = benchmark->metrics;
    score.usual_positive = benchmark->positive;
    score.version = benchmark->version;
    return;
  }
  if (!flags.task) throw UsageError("no --task, and --metric is none of ", metric::benchmark_names());
  score.task = *flags.task;
  const auto known = metric::metrics_of(score.task);
  for (const auto& name : flags.metrics) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    std::string names;
    for (const auto& one : known) names += (names.empty() ? "" : ", ") + std::string(one);
    throw UsageError("--metric ", name, " is no benchmark and not of ", metric::name_of(score.task),
                     ", which has ", names);
  }
  score.metrics = flags.metrics;
}

// Which options go with which task.
void check_task(const cli::App& app, Task task) {
  const auto only = [&](std::string_view option, Task its) {
    if (app.given(option) && task != its) throw UsageError(option, " is for --task ", metric::name_of(its));
  };
  only("--positive", Task::classify);
  only("--top-k", Task::fill);
  only("--mask-id", Task::fill);
  only("--no-answer-threshold", Task::answer);
  only("--null-scores", Task::answer);
  if (app.given("--null-scores") && !app.given("--gold")) throw UsageError("--null-scores needs --gold");
}

// Forms of input that are those of one task alone.
void settle_input(metric::ScoreFilterOptions& options, io::StreamOptions& stream) {
  using io::InputFormat;
  const bool answers = options.score.task == Task::answer && !options.gold.empty();
  const bool tags = options.score.task == Task::tag && options.gold.empty();
  if (stream.input_format == InputFormat::squad && !answers)
    throw UsageError("--input-format squad, answers by id, is for --task answer with --gold");
  if (stream.input_format == InputFormat::conll && !tags)
    throw UsageError("--input-format conll, with true and predicted tags, is for --task tag without --gold");
  if (stream.input_format == InputFormat::squad) stream.input_format = InputFormat::object;
  if (stream.input_format == InputFormat::conll) stream.input_format = InputFormat::documents;
  if (answers) stream.recognize = metric::recognize_answers;
  if (tags) stream.recognize = metric::recognize_conll;
  options.score.text_field = stream.text_field;
  options.on_error = stream.on_error;
}

}  // namespace

int main(int argc, char** argv) {
  cli::App app("bert-score", "Compare predictions with the truth and print one JSON object of metrics.");
  metric::ScoreFilterOptions options;
  Flags flags;
  score_options(app, options, flags);
  cli::StreamOptions stream(app, cli::StreamOptions::Load::text,
                            {io::InputFormat::conll, io::InputFormat::squad});
  cli::PrecisionOption precision(app);
  app.check([&] {
    settle_metrics(flags, options.score);
    check_task(app, options.score.task);
    settle_input(options, stream.settings);
  });
  app.version_of(text::version);
  return app.run(argc, argv, [&] {
    options.precision = precision.digits;
    metric::ScoreFilter filter(options, stream.settings, app.log());
    stream.transform(filter);
  });
}
