// bert-fetch: downloads a model from the Hugging Face Hub.
#include <unistd.h>

#include "base/output_file.h"
#include "cli/app.h"
#include "hub/fetch.h"
#include "options/ranks.h"
#include "text/version.h"

int main(int argc, char** argv) {
  using bert::cli::UsageError;
  bert::cli::App app("bert-fetch",
                     "Download a model from the Hugging Face Hub; print the path of its directory.");
  std::vector<std::string> names;
  std::string revision;
  app.files(names, "ORG/NAME");
  app.section("Model");
  app.option({"--revision", "REV", "Branch, tag or commit (default main)."}, revision);
  app.version_of(bert::text::version);
  app.examples(
      {{"Download a model for sentence vectors", "bert-fetch sentence-transformers/all-MiniLM-L6-v2"},
       {"Show what it is", "bert-convert sentence-transformers/all-MiniLM-L6-v2 --info"}});
  bert::cmd::one_process(app);
  std::vector<bert::hub::ModelName> models;
  app.check([&] {
    if (names.empty()) throw UsageError("expected the name of a model, ORG/NAME");
    for (const auto& name : names) {
      auto model = bert::hub::ModelName::parse(name);
      if (!model) throw UsageError(name, ": expected the name of a model, ORG/NAME");
      if (!revision.empty() && name.find('@') != name.npos)
        throw UsageError(name, " has a revision, and so has --revision ", revision);
      if (!revision.empty()) model->revision = revision;
      if (!bert::hub::ModelName::parse(model->name + "@" + model->revision))
        throw UsageError("--revision ", revision, ": expected a branch, a tag or a commit");
      models.push_back(*std::move(model));
    }
  });
  return app.run(argc, argv, [&] {
    const bool progress = ::isatty(STDERR_FILENO) == 1 && !app.log().quiet();
    bert::OutputFile output("-");
    for (const auto& model : models) output.write(bert::hub::fetch(model, progress, app.log()) + "\n");
    output.commit();
  });
}
