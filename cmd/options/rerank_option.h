// --rerank of bert-search.
#pragma once

#include <string>

#include "base/option.h"
#include "cli/app.h"
#include "options/model_directory.h"
#include "search/options.h"

namespace bert::cmd {

struct RerankOption {
  explicit RerankOption(cli::App& app) {
    app.section("Search");
    app.option({opt::rerank, "DIR",
                "Score the best --candidates by this model, and order them by these scores: one that reads "
                "query and text together (a cross-encoder), or one of late interaction."},
               path);
    for (const auto other : {opt::dedup, opt::pairs, opt::cluster}) app.exclusive({opt::rerank, other});
    app.check([this, &app] {
      if (!path.empty()) read_files_of(app, path = find_model_directory(path), opt::rerank);
    });
  }
  RerankOption(const RerankOption&) = delete;

  // To be called when all other options are complete.
  void settle(search::Options& options) const {
    if (path.empty()) return;
    const auto& embed = options.texts.embed;
    options.rerank = {.open_model = [this] { return model::open_directory(path, ""); },
                      .predict = {.task = {.task = task::Task::rank},
                                  .features = {},
                                  .max_length = {},
                                  .dtype = embed.compute.dtype,
                                  .batch_tokens = embed.compute.batch_tokens},
                      .candidates = options.graph.candidates};
  }

  std::string path;
};

}  // namespace bert::cmd
