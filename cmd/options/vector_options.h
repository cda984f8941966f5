// How a model's token vectors become the vector of a text.
#pragma once

#include <optional>
#include <string>

#include "base/file.h"
#include "base/option.h"
#include "cli/app.h"
#include "heads/embed_plan.h"
#include "heads/vector_model.h"
#include "model/sentence_transformers.h"

namespace bert::cmd {

// --pooling, under the current heading. Without `search`, also none: one vector for each token. The pooler is
// not trained.
enum class PoolingOf { vectors, search, training };
inline cli::Declaration& pooling_option(cli::App& app, heads::Pooling& pooling, PoolingOf of) {
  using heads::Pooling;
  cli::Choices<Pooling> poolings = {{"auto", {}}};
  for (const auto& [mode, name, _, __] : model::kPoolings)
    poolings.push_back({name, {.kind = Pooling::Kind::mode, .mode = mode}});
  if (of != PoolingOf::training) poolings.push_back({"pooler", {.kind = Pooling::Kind::pooler}});
  const bool none = of != PoolingOf::search;
  if (none) poolings.push_back({"none", {.kind = Pooling::Kind::none}});
  return app.choice({opt::pooling, "",
                     "How to combine token vectors into one; " +
                         std::string(none ? "none: one vector for each token; " : "") +
                         "auto: as the model directory says, else mean."},
                    poolings, pooling);
}

// --prompt, under the current heading.
inline void prompt_option(cli::App& app, std::optional<std::string>& prompt) {
  app.custom({opt::prompt, "TEXT|NAME",
              "Insert this text before each text, or the model's prompt of this name. A name has only "
              "letters, digits, '-', '_' and '.'."},
             [&prompt](const std::string&, const std::string& value) { prompt = value; });
}

// To be called by a check: the tool reads this file of vectors, and the file beside it that says what they
// are.
inline void reads_vectors(cli::App& app, const std::string& option, const std::string& path) {
  if (path.empty()) return;
  if (is_directory(path))  // an index
    for (const auto& name : names_in_directory(path)) app.reads(option, path + "/" + name);
  app.reads(option, path);
  app.reads(option, heads::sidecar_of(path));
}

}  // namespace bert::cmd
