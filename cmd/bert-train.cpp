// bert-train: trains a model on records.
#include <string>
#include <vector>

#include "base/gnuplot.h"
#include "base/option.h"
#include "base/signals.h"
#include "heads/version.h"
#include "options/ranks.h"
#include "options/train_options.h"
#include "options/training_task_options.h"
#include "text/version.h"
#include "train/training.h"

namespace opt = bert::opt;

namespace {

// What --steps 0 has no use for, so that a command needs no other change to evaluate.
std::vector<std::string> unused_without_training(const bert::cli::App& app,
                                                 const std::vector<std::string>& files) {
  std::vector<std::string> unused;
  if (!files.empty()) unused.emplace_back("the FILEs");
  if (app.given("--output")) unused.emplace_back("-o");
  for (const std::string option : {opt::best, opt::patience, opt::plot, opt::resume, opt::force})
    if (app.given(option)) unused.push_back(option);
  return unused;
}

}  // namespace

int main(int argc, char** argv) {
  bert::cli::App app("bert-train", "Pre-train or fine-tune a model; the training log is written to stdout.");
  bert::cmd::Ranks ranks(app);
  bert::train::TrainingOptions train;
  std::vector<std::string> unused;
  const bert::cmd::TrainingTaskOptions task(app, train.task);
  const bert::cmd::InitialModelOptions initial(app, train);
  bert::cmd::data_options(app, train);
  bert::cmd::schedule_options(app, train);
  bert::cmd::optimizer_options(app, train);
  bert::cmd::output_options(app, train);
  bert::cmd::StreamOptions stream(
      app, {.load = bert::cmd::StreamOptions::Load::training,
            .more = bert::io::formats_of({bert::io::RecordKind::tagged}, {bert::io::InputFormat::squad})});
  bert::cmd::check_options(app, train, stream.settings.format);
  app.check([&] {
    if (train.steps == 0) {
      unused = unused_without_training(app, stream.settings.files);
      stream.settings.files = {train.dev};
    }
    if (train.task.kind == bert::task::Task::answer) stream.settings.header_fields = {"question", "context"};
    task.settle(train.task, stream);
    if (const auto& group = train.split.group_field; !group.empty()) stream.name_field(group, opt::split_by);
    train.stream = stream.settings;
    train.pair_field_given = !stream.settings.pair_field.empty() && app.given("--pair-field");
    bert::cmd::check_schedule(train);
  });
  bert::cmd::MaskOptions::exclude(app, opt::causal);
  app.most_used({"--model", opt::task, opt::dev, "--output", opt::epochs, opt::batch_size, opt::lr,
                 opt::max_length, opt::seed, opt::resume});
  app.version_of(bert::text::version);
  app.version_of(bert::heads::version);
  app.examples({{"Fine-tune the default model to classify, and apply it",
                 "bert-train --task classify -o rater rated.tsv\nbert-predict -m rater reviews.txt"},
                {"Evaluate a model on other labelled records",
                 "bert-train --task classify -m rater --steps 0 --dev rated.tsv"}});
  app.ability_of(bert::cmd::Ranks::mpi_version);
  app.ability_of(bert::gnuplot_version);
  return app.run(argc, argv, [&] {
    const bert::StopOnSignal signals;
    if (!unused.empty())
      app.log().warn("--steps 0 only evaluates on --dev: " + bert::listed(unused, "and") +
                     (unused.size() == 1 && unused.front().starts_with('-') ? " is" : " are") + " not used");
    ranks.require_same_arguments(app);
    bert::cmd::note_files(app, train);
    const auto model = initial.load();
    if (train.steps == 0) {
      stream.take_kept(model.config.kept_options, train.task.gold_field());
      train.stream.usual = stream.settings.usual;
      train.task.features.pair_field = stream.settings.pair_field;
    }
    train.kept_options = app.kept();
    train.card.command = app.command({opt::resume, opt::force});
    auto& pool = stream.pool(ranks.on_same_cores());
    const bool done = bert::train::train(train, model, ranks.communicator(), pool, app.log());
    ranks.close();
    if (!done) bert::StopOnSignal::raise_again();
  });
}
