// bert-convert: converts a model directory to a Hugging Face directory.
#include "base/option.h"
#include "base/output_file.h"
#include "cli/app.h"
#include "model/convert.h"
#include "options/model_directory.h"
#include "options/model_options.h"
#include "options/ranks.h"
#include "predict/static_table.h"
#include "text/version.h"

namespace opt = bert::opt;

namespace {

using bert::Dtype;
using bert::cli::UsageError;

struct Options {
  std::vector<std::string> directories;
  std::string out, activation;
  std::optional<Dtype> store;
  std::vector<int64_t> layers;
  std::string vocab, calibration;
  std::optional<int64_t> dim;
  std::optional<double> sif;
  std::optional<int> threads;
  bool is_static = false;
  bool force = false, info = false, verify = false;

  void check() {
    if (directories.size() != 1) throw UsageError("expected one model directory, not ", directories.size());
    directories.front() = bert::cmd::find_model_directory(directories.front());
    if (out.empty() && !info && !verify) throw UsageError("expected -o DIR, --info or --verify");
    if (out == "-") throw UsageError("-o -: a model is a directory and cannot go to stdout");
    if (!out.empty() && bert::is_inside(directories.front(), out))
      throw UsageError(directories.front(), " is in the directory of -o, which would be replaced");
    if (store && out.empty()) throw UsageError("--store is for -o");
    if (store == Dtype::i8 && is_static)
      throw UsageError("--store int8 is for models with layers, not for --static");
    if (force && out.empty()) throw UsageError("--force is for -o");
    if (!layers.empty() && out.empty()) throw UsageError(opt::layers, " is for -o");
    if (is_static && out.empty()) throw UsageError("--static is for -o");
    if (!vocab.empty() && out.empty()) throw UsageError("--vocab is for -o");
    if (!calibration.empty() && out.empty()) throw UsageError("--calibration is for -o");
    if (!activation.empty() && out.empty() && !info) throw UsageError("--activation is for -o and --info");
  }
};

void convert(const Options& options, bert::Log& log) {
  const auto existing = options.force ? bert::model::Existing::replace : bert::model::Existing::refuse;
  const auto& source = options.directories.front();
  if (!options.is_static) {
    bert::model::convert({source, options.out, options.store, options.activation, existing, options.layers,
                          options.vocab, options.calibration},
                         log);
    return;
  }
  bert::Pool pool(options.threads.value_or(bert::available_threads()));
  bert::predict::make_static({source, options.out, options.store, options.activation, existing, options.vocab,
                              options.dim, options.sif},
                             pool, log);
}

void cutting_options(bert::cli::App& app, Options& options) {
  app.section("Cutting");
  app.numbers({opt::layers, "N,...", "Keep these encoder layers, counted from 0, and drop the others."},
              {.min = 0, .max = 999}, options.layers);
  app.option({"--vocab", "FILE", "Keep the tokens in FILE, one per line, and drop the others."},
             options.vocab);
  app.section("Static model");
  app.flag(
      {"--static", "",
       "Write a table of the vectors of single tokens, without a transformer; or a smaller one, if DIR is "
       "static."},
      options.is_static);
  app.number({opt::dim, "N",
              "Numbers of a vector, by principal components (default 256, or all; of a static model all)."},
             {.min = 1}, options.dim);
  app.real({"--sif", "A",
            "Weight A / (A + p) of a token with probability p (default 0.0001); 0 turns weights off."},
           {.min = 0, .max = 1}, options.sif);
  app.number({"-j,--threads", "N", "Number of threads of --static (default: all available cores)."},
             {.min = 1, .max = 4096}, options.threads);
  app.check([&] {
    for (const auto* option : {"--dim", "--sif", "--threads"})
      if (app.given(option) && !options.is_static) throw UsageError(option, " is for --static");
  });
  app.exclusive({"--static", "--layers"});
}

void print(std::string_view text) {
  bert::OutputFile output("-");
  output.write(text);
  output.commit();
}

}  // namespace

int main(int argc, char** argv) {
  bert::cli::App app("bert-convert",
                     "Convert a model in any supported format to a Hugging Face model directory.");
  Options options;
  app.files(options.directories, "DIR");
  app.section("Conversion");
  app.option({"-o,--output", "DIR", "Write the model to DIR.", "--out"}, options.out);
  app.flag({opt::force, "", "Replace a model in DIR."}, options.force);
  app.choice<std::optional<Dtype>>(
      {"--store", "", "Number format of the stored weights; int8: of those of the layers."},
      {{"same", {}}, {"f32", Dtype::f32}, {"f16", Dtype::f16}, {"bf16", Dtype::bf16}, {"int8", Dtype::i8}},
      options.store);
  bert::cmd::activation_option(app, options.activation);
  app.option({"--calibration", "FILE",
              "Scale a classifier's logits by what bert-score --calibrate has written to FILE."},
             options.calibration);
  app.excludes({"--calibration"}, "--static");
  cutting_options(app, options);
  app.section("Inspection");
  app.flag({"--info", "", "Print the contents of the directory as a JSON object."}, options.info);
  app.flag({"--verify", "", "Verify all checksums of the weight files; -o always does."}, options.verify);
  app.version_of(bert::text::version);
  app.examples({{"Store a model in half the size", "bert-convert classify -o small --store bf16"},
                {"Show what a model directory holds", "bert-convert small --info"}});
  bert::cmd::one_process(app);
  app.check([&] {
    options.check();
    app.reads("--vocab", options.vocab);
    app.reads("--calibration", options.calibration);
    if (options.info) bert::cmd::read_files_of(app, options.directories.front());
    if (options.info) app.writes("--info", "-");
  });
  return app.run(argc, argv, [&] {
    const auto& source = options.directories.front();
    if (options.verify) bert::model::verify(source);
    if (!options.out.empty()) convert(options, app.log());
    if (options.info) print(bert::model::describe(source, options.activation, app.log()));
  });
}
