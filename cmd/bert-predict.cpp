// bert-predict: adds a model's predictions to records.
#include "base/option.h"
#include "cli/app.h"
#include "heads/task_support.h"
#include "heads/version.h"
#include "options/answer_options.h"
#include "options/color_option.h"
#include "options/feature_options.h"
#include "options/model_options.h"
#include "options/number_options.h"
#include "options/stream_options.h"
#include "options/task_choices.h"
#include "predict/predict_filter.h"
#include "predict/uncertain_filter.h"
#include "text/tokenizer.h"
#include "text/version.h"

namespace opt = bert::opt;

namespace {

using namespace bert;

void task_options(cli::App& app, predict::PredictOptions& predict) {
  app.section("Task");
  app.choice({opt::task, "", "What to predict; auto: the task of the model's architecture."},
             cmd::task_choices(&task::Entry::predicted), predict.task.task);
  app.number({opt::top_k, "N", "For fill: number of candidates for each [MASK]."}, {.min = 1},
             predict.task.top_k)
      .only_for = cmd::tasks({task::Task::fill});
  auto& threshold = app.real(
      {"--threshold", "P",
       "For multilabel: predict the labels with at least this probability (default: that of "
       "training, else 0.5). For replaced: the probability from which on a token counts as replaced."},
      {.min = 0, .max = 1}, predict.task.threshold);
  threshold.is_kept = true;
  threshold.only_for = cmd::tasks({task::Task::multilabel, task::Task::replaced});
  using enum predict::Aggregate;
  app.choice({"--aggregate", "",
              "For tag: subword tokens that decide the tag of a word: the first, the mean of all, or the one "
              "with the highest probability."},
             cli::Choices<predict::Aggregate>{{"first", first}, {"mean", mean}, {"max", max}},
             predict.task.aggregate)
      .only_for = cmd::tasks({task::Task::tag});
  app.flag(
         {"--word-scores", "",
          "For tag: add the probabilities of all tags of each word as scores, which bert-train --soft-labels "
          "learns."},
         predict.task.word_scores)
      .only_for = cmd::tasks({task::Task::tag});
  cmd::context_option(app, predict.features);
}

}  // namespace

int main(int argc, char** argv) {
  cli::App app("bert-predict", "Add a model's prediction to each record.");
  cmd::ModelOptions model(app);
  predict::PredictOptions predict;
  task_options(app, predict);
  cmd::answer_options(app, predict.task.answer);
  app.number({"--n-best", "N", "Add the N best answers as n_best (default: none)."}, {.min = 1},
             predict.task.answer.n_best)
      .only_for = cmd::tasks({task::Task::answer});
  cmd::LengthOptions length(app, "truncate; split for replaced, tag and answer, error for fill");
  cmd::StreamOptions stream(
      app, {.load = cmd::StreamOptions::Load::network,
            .more = io::formats_of({io::RecordKind::tagged}, {io::InputFormat::squad}),
            .formats =
                io::formats_of({io::FormatGroup::json, io::FormatGroup::table, io::FormatGroup::array},
                               {io::Format::squad, io::Format::conll, io::Format::text, io::Format::html})});
  cmd::format_option(
      app, stream,
      "Write records as JSONL, TSV or CSV, rows of numbers (npy and npy-f16 need a file: -o FILE or > FILE), "
      "answers as one JSON object for the official SQuAD scripts, tags as CoNLL, or texts with their tags or "
      "answers marked (text, html).");
  cmd::color_option(app, "marked parts", "text", predict.colored);
  cmd::precision_option(app, predict.task.precision);
  std::optional<size_t> uncertain;
  app.section("Output");
  app.number(
         {"--uncertain", "N",
          "Write only the N records to label next: those with the least certain predictions, without near "
          "copies of each other."},
         {.min = 1}, uncertain)
      .only_for =
      cmd::tasks({task::Task::classify, task::Task::multilabel, task::Task::tag, task::Task::choose});
  cmd::batch_option(app, predict.batch_tokens);
  app.most_used({"--model", opt::task, "--output", opt::format, opt::keep, opt::text_field, opt::top_k,
                 opt::max_length, opt::overflow, "--threads"});
  app.check([&] {
    cmd::set_input(predict.features, stream, length);
    predict.max_length = length.max_length;
    predict.features.take_ids = cmd::takes_ids(stream);
    predict.format = stream.settings.format;
  });
  for (const auto option : {opt::keep, opt::drop, Option("--word-scores"), Option("--uncertain")})
    cmd::needs_fields(app, option);
  cmd::needs_text(app, "--precision");
  app.version_of(text::version);
  app.version_of(heads::version);
  app.examples({{"Fill a masked token with the default model",
                 "echo 'He drank a cup of [MASK] and went to bed.' | bert-predict --top-k 2"},
                {"Classify the lines of a file with a model that bert-train has made",
                 "bert-predict -m classify --format csv --keep text,prediction reviews.txt"}});
  return app.run(argc, argv, [&] {
    const auto directory = model.open();
    const auto task = heads::task_for(predict.task.task, directory);
    cmd::select_task(app, task);
    cmd::check_text_fields(app, task);
    if (task == task::Task::answer) stream.settings.header_fields = {"question", "context"};
    const auto tokenizer = model::load_tokenizer(directory);
    stream.take_kept(directory.config.kept_options);
    predict.features.pair_field = stream.settings.pair_field;
    if (app.given(opt::overflow)) predict.overflow = predict.features.overflow;
    if (app.given(opt::overlap)) predict.overlap = predict.features.overlap;
    predict.drop = stream.settings.drop;
    predict.dtype = model.dtype;
    predict.keeps_vectors = uncertain.has_value();
    stream.settings.budget = predict.batch_tokens;
    predict::PredictFilter predictor(directory, tokenizer, predict, stream.pool(), app.log());
    if (predict.features.document) stream.settings.context_words = predictor.max_length();
    if (!uncertain) {
      stream.transform(predictor);
      return;
    }
    predict::UncertainFilter chosen(predictor, *uncertain, predict.task.precision);
    stream.transform(chosen);
  });
}
