// The options of bert-train that are about weights of words.
#pragma once

#include <iterator>
#include <optional>
#include <vector>

#include "base/option.h"
#include "cli/app.h"
#include "options/task_choices.h"
#include "train/training_task.h"

namespace bert::cmd {

// `flops`: the numbers of --flops, to be checked.
inline void sparse_training_options(cli::App& app, train::EmbedTaskOptions& embed,
                                    std::vector<double>& flops) {
  const auto only = tasks({task::Task::embed});
  app.choice<std::optional<model::SparsePooling>>(
         {opt::sparse, "",
          "Train weights of words instead of vectors (SPLADE): the largest one over the tokens or their sum; "
          "-log: its logarithm."},
         {std::begin(model::kSparsePoolings), std::end(model::kSparsePoolings)}, embed.sparse)
      .only_for = only;
  app.reals(
         {opt::flops, "D,Q",
          "Weights of the regularizer that makes most weights of words 0: of documents, of queries (default "
          "3e-5,5e-5)."},
         {.min = 0, .max = 1e6}, flops)
      .only_for = only;
  app.real({opt::flops_warmup, "W",
            "Share of the run over which --flops rise from 0, with the square of the steps (default 1/3)."},
           {.min = 0, .max = 1}, embed.flops_warmup)
      .only_for = only;
  using Freezes = std::optional<bool>;
  app.choice<Freezes>({opt::query_table, "",
                       "Look up the weights of queries, the field text, in a table of tokens, which needs no "
                       "network: train the table, which begins with inverse document frequencies, or freeze "
                       "it (default: as the model has it)."},
                      {{"train", false}, {"freeze", true}}, embed.freezes_queries)
      .only_for = only;
}

}  // namespace bert::cmd
