// bert-predict: adds a model's predictions to records.
#include "activation_option.h"
#include "cli/app.h"
#include "cli/length_options.h"
#include "cli/model_options.h"
#include "cli/precision_option.h"
#include "cli/stream_options.h"
#include "model/directory.h"
#include "network_options.h"
#include "predict/predict.h"
#include "predict/version.h"
#include "text/tokenizer.h"
#include "text/version.h"

namespace {

using namespace bert;

cli::Choices<predict::TaskKind> task_names() {
  using enum predict::TaskKind;
  cli::Choices<predict::TaskKind> names;
  for (const auto kind :
       {automatic, fill, next, classify, regress, multilabel, tag, answer, choose, rank, perplexity})
    names.emplace_back(predict::name_of(kind), kind);
  return names;
}

void task_options(cli::App& app, predict::PredictOptions& predict) {
  app.section("Task");
  app.choice({"--task", "", "What to predict; auto: the task of the model's architecture."}, task_names(),
             predict.task.task);
  app.number({"--top-k", "N", "For fill: number of candidates for each [MASK]."}, {.min = 1},
             predict.task.top_k);
  app.real({"--threshold", "P", "For multilabel: predict the labels with at least this probability."},
           {.min = 0, .max = 1}, predict.task.threshold);
  using enum predict::Aggregate;
  app.choice({"--aggregate", "",
              "For tag: subword tokens that decide the tag of a word: the first, the mean of all, or the one "
              "with the highest probability."},
             cli::Choices<predict::Aggregate>{{"first", first}, {"mean", mean}, {"max", max}},
             predict.task.aggregate);
}

void answer_options(cli::App& app, predict::AnswerOptions& answer) {
  app.section("Task answer");
  app.number({"--stride", "N", "Step from one window of the context to the next, in tokens."}, {.min = 1},
             answer.stride);
  app.number(
      {"--max-question-length", "N", "Truncate questions to N tokens (default 64, at most half a sequence)."},
      {.min = 1}, answer.max_question_length);
  app.number({"--max-answer-length", "N", "Maximum length of an answer in tokens."}, {.min = 1},
             answer.max_answer_length);
  app.number({"--n-best", "N", "Add the N best answers as n_best (default: none)."}, {.min = 1},
             answer.n_best);
  app.real({"--no-answer-threshold", "T",
            "Predict no answer if its score exceeds that of the best answer by more than T (default: always "
            "answer)."},
           {.min = -1e6, .max = 1e6}, answer.no_answer_threshold);
}

enum class Format { jsonl, tsv, csv, squad };

void output_options(cli::App& app, Format& format) {
  app.section("Output");
  app.choice(
      {"--format", "",
       "Write records as JSONL, TSV or CSV, or answers as one JSON object for the official SQuAD scripts."},
      cli::Choices<Format>{
          {"jsonl", Format::jsonl}, {"tsv", Format::tsv}, {"csv", Format::csv}, {"squad", Format::squad}},
      format);
}

}  // namespace

int main(int argc, char** argv) {
  cli::App app("bert-predict", "Add a model's prediction to each record.");
  cli::ModelOptions model(app);
  std::string activation;
  cmd::activation_option(app, activation);
  predict::PredictOptions predict;
  task_options(app, predict);
  answer_options(app, predict.task.answer);
  cli::LengthOptions length(app, cli::LengthOptions::Overflow::truncate,
                            "truncate; split for tag and answer, error for fill");
  cli::StreamOptions stream(app, {.load = cli::StreamOptions::Load::network,
                                  .more = {io::InputFormat::conll, io::InputFormat::squad}});
  Format format = Format::jsonl;
  output_options(app, format);
  cli::PrecisionOption precision(app);
  cmd::batch_option(app, predict.batch_tokens);
  app.most_used({"--model", "--task", "--output", "--format", "--keep", "--text-field", "--top-k",
                 "--max-length", "--overflow", "--threads"});
  app.check([&] {
    cmd::set_network_input(predict.features, stream, length);
    predict.official = format == Format::squad;
    if (predict.official && app.given("--keep"))
      throw cli::UsageError("--keep cannot be used with --format squad");
    stream.settings.output_format = format == Format::tsv   ? io::OutputFormat::tsv
                                    : format == Format::csv ? io::OutputFormat::csv
                                                            : io::OutputFormat::jsonl;
  });
  app.version_of(text::version);
  app.version_of(predict::version);
  return app.run(argc, argv, [&] {
    const auto directory = model::open_directory(model.path, activation);
    const auto tokenizer = text::load_tokenizer(directory.path);
    predict.task.precision = precision.digits;
    if (app.given("--overflow")) predict.overflow = predict.features.overflow;
    if (app.given("--overlap")) predict.overlap = predict.features.overlap;
    predict.drop = stream.settings.drop;
    predict.dtype = model.dtype;
    stream.settings.budget = predict.batch_tokens;
    predict::Predictor predictor(directory, tokenizer, predict, stream.pool(), app.log());
    stream.transform(predictor);
  });
}
