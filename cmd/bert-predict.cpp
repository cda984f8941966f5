// bert-predict: text → answers.
#include "activation_option.h"
#include "cli/app.h"
#include "cli/length_options.h"
#include "cli/model_options.h"
#include "cli/precision_option.h"
#include "cli/stream_options.h"
#include "model/directory.h"
#include "network_options.h"
#include "task/predict.h"
#include "task/version.h"
#include "text/tokenizer.h"
#include "text/version.h"

namespace {

using namespace bert;

cli::Choices<task::TaskKind> task_names() {
  using enum task::TaskKind;
  cli::Choices<task::TaskKind> names;
  for (const auto kind :
       {automatic, fill, next, classify, regress, multilabel, tag, answer, choose, rank, perplexity})
    names.emplace_back(task::name_of(kind), kind);
  return names;
}

void task_options(cli::App& app, task::PredictOptions& predict) {
  app.section("Task");
  app.choice({"--task", "", "What to answer; auto goes by the model's architecture."}, task_names(),
             predict.task.task);
  app.number({"--top-k", "N", "Candidates for each [MASK] of fill."}, {.min = 1}, predict.task.top_k);
  app.real({"--threshold", "P", "Probability from which multilabel takes a label."}, {.min = 0, .max = 1},
           predict.task.threshold);
  using enum task::Aggregate;
  app.choice(
      {"--aggregate", "", "Pieces of a word that decide its tag: the first, the mean of all, the surest."},
      cli::Choices<task::Aggregate>{{"first", first}, {"mean", mean}, {"max", max}}, predict.task.aggregate);
}

void answer_options(cli::App& app, task::AnswerOptions& answer) {
  app.section("Answers");
  app.number({"--stride", "N", "Tokens from one window of the context to the next."}, {.min = 1},
             answer.stride);
  app.number({"--max-question-length", "N",
              "Tokens at which questions are cut (default 64, at most half a sequence)."},
             {.min = 1}, answer.max_question_length);
  app.number({"--max-answer-length", "N", "Most tokens of an answer."}, {.min = 1}, answer.max_answer_length);
  app.number({"--n-best", "N", "List the N best answers (without it none)."}, {.min = 1}, answer.n_best);
  app.real(
      {"--no-answer-threshold", "T",
       "Give no answer where none is better than the best by more than T; without it there is always one."},
      {.min = -1e6, .max = 1e6}, answer.no_answer_threshold);
}

}  // namespace

int main(int argc, char** argv) {
  cli::App app("bert-predict", "Add the answer of a model's head to each record.");
  cli::ModelOptions model(app);
  std::string activation;
  cmd::activation_option(app, activation);
  task::PredictOptions predict;
  task_options(app, predict);
  answer_options(app, predict.task.answer);
  cli::LengthOptions length(app, cli::LengthOptions::Overflow::truncate,
                            "truncate; split for tag and answer, error for fill");
  cli::StreamOptions stream(app, cli::StreamOptions::Load::network,
                            {io::InputFormat::conll, io::InputFormat::squad});
  cli::PrecisionOption precision(app);
  app.section("Output");
  app.choice({"--format", "", "Records, or one object of answers as SQuAD's official scripts read it."},
             cli::Choices<bool>{{"jsonl", false}, {"squad", true}}, predict.official);
  cmd::batch_option(app, predict.batch_tokens);
  app.check([&] { cmd::set_network_input(predict.features, stream, length); });
  app.version_of(text::version);
  app.version_of(task::version);
  return app.run(argc, argv, [&] {
    const auto directory = model::open_directory(model.path, activation);
    const auto tokenizer = text::load_tokenizer(directory.path);
    predict.task.precision = precision.digits;
    if (app.given("--overflow")) predict.overflow = predict.features.overflow;
    if (app.given("--overlap")) predict.overlap = predict.features.overlap;
    predict.drop = stream.settings.drop;
    predict.dtype = model.dtype;
    stream.settings.budget = predict.batch_tokens;
    task::Predictor predictor(directory, tokenizer, predict, stream.pool(), app.log());
    stream.transform(predictor);
  });
}
