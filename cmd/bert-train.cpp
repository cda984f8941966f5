// bert-train: records → a model that has learned from them.
#include "base/signals.h"
#include "task/version.h"
#include "text/version.h"
#include "train/training.h"
#include "train_options.h"
#include "training_task_options.h"

int main(int argc, char** argv) {
  bert::cli::App app("bert-train", "Train a model on records; stdout is the journal of the run.");
  bert::train::TrainingOptions train;
  const bert::cmd::TrainingTaskOptions task(app, train.task);
  const bert::cmd::LearnerOptions learner(app, train);
  const bert::cmd::DataOptions data(app, train);
  const bert::cmd::ScheduleOptions schedule(app, train);
  bert::cmd::optimizer_options(app, train);
  bert::cmd::output_options(app, train);
  bert::cli::StreamOptions stream(app, bert::cli::StreamOptions::Load::training,
                                  {bert::io::InputFormat::conll, bert::io::InputFormat::squad});
  app.check([&] {
    train.stream = stream.settings;
    task.settle(train.task, stream);
    schedule.settle(train);
  });
  app.version_of(bert::text::version);
  app.version_of(bert::task::version);
  return app.run(argc, argv, [&] {
    const bert::StopOnSignal signals;
    const auto tokenizer = learner.settle(train);
    train.run.show_progress = bert::io::shows_progress(train.stream, app.log());
    if (!bert::train::train(train, tokenizer, stream.pool(), app.log())) bert::StopOnSignal::raise_again();
  });
}
