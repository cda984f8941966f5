// The generator of bert-train --task replaced: one that was trained before, or one that is trained along.
#pragma once

#include <iterator>
#include <optional>

#include "base/option.h"
#include "cli/app.h"
#include "options/model_directory.h"
#include "options/stream_options.h"
#include "options/task_choices.h"
#include "train/training_task.h"

namespace bert::cmd {

// Under the current heading.
inline void generator_options(cli::App& app, train::TrainingTaskOptions& task) {
  const auto only = tasks({task::Task::replaced});
  app.option({opt::generator, "DIR", "For replaced: the masked-language model that fills masked tokens."},
             task.generator)
      .only_for = only;
  app.real(
         {opt::generator_size, "SHARE",
          "Train a generator of this share of the model's width along with it, instead of --generator (Clark "
          "et al. 2020: 0.25 to 0.5); it is written to DIR/generator."},
         {.min = 0.01, .max = 1}, task.generator_size)
      .only_for = only;
  app.choice<std::optional<model::EmbeddingSharing>>(
         {opt::embedding_sharing, "",
          "What trains the embeddings that both share; es: both losses; gdes: the generator's loss, and the "
          "model's trains a difference from them (default: es for electra, gdes for deberta-v2)."},
         {std::begin(model::kEmbeddingSharings), std::end(model::kEmbeddingSharings)}, task.embedding_sharing)
      .only_for = only;
  app.exclusive({opt::generator, opt::generator_size});
  app.exclusive({opt::generator_size, opt::freeze});
  app.needs(opt::embedding_sharing, opt::generator_size);
}

// To be called by a check, with --task replaced.
inline void find_generator(cli::App& app, train::TrainingTaskOptions& task) {
  if (task.generator_size) return;
  if (task.generator.empty())
    throw cli::UsageError("--task replaced needs --generator DIR or --generator-size SHARE");
  task.generator = find_model_directory(task.generator);
  read_files_of(app, task.generator, opt::generator);
}

}  // namespace bert::cmd
