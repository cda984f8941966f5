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
    app.option({"--rerank", "DIR",
                "Score the best --candidates by this model, which reads query and text together "
                "(a cross-encoder), and order them by these scores."},
               path);
    for (const auto other : {opt::dedup, opt::pairs, opt::cluster}) app.exclusive({"--rerank", other});
    app.check([this, &app] {
      if (!path.empty()) read_files_of(app, path = find_model_directory(path), "--rerank");
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
                                  .dtype = embed.compute.dtype,
                                  .batch_tokens = embed.compute.batch_tokens},
                      .candidates = options.graph.candidates};
  }

  std::string path;
};

}  // namespace bert::cmd
