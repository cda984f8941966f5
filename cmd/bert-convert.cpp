// bert-convert: any model directory → one of Hugging Face.
#include "activation_option.h"
#include "base/output_file.h"
#include "cli/app.h"
#include "model/convert.h"
#include "text/version.h"

namespace {

using bert::Dtype;
using bert::cli::UsageError;

struct Options {
  std::vector<std::string> directories;
  std::string out, activation;
  std::optional<Dtype> store;
  bool info = false, verify = false;

  void check() const {
    if (directories.size() != 1) throw UsageError("expected one model directory, not ", directories.size());
    if (out.empty() && !info && !verify) throw UsageError("expected --out DIR, --info or --verify");
    if (store && out.empty()) throw UsageError("--store is for --out");
    if (!activation.empty() && out.empty() && !info) throw UsageError("--activation is for --out and --info");
  }
};

void print(std::string_view text) {
  bert::OutputFile output("-");
  output.write(text);
  output.commit();
}

}  // namespace

int main(int argc, char** argv) {
  bert::cli::App app("bert-convert", "Turn the model directory FILE, of any form, into one of Hugging Face.");
  Options options;
  app.files(options.directories);
  app.section("Conversion");
  app.option({"--out", "DIR", "Write the model to DIR."}, options.out);
  app.choice<std::optional<Dtype>>(
      {"--store", "", "Numbers as they are, or rounded to a format."},
      {{"same", {}}, {"f32", Dtype::f32}, {"f16", Dtype::f16}, {"bf16", Dtype::bf16}}, options.store);
  bert::cmd::activation_option(app, options.activation);
  app.section("Inspection");
  app.flag({"--info", "", "Print what the directory holds as a JSON object."}, options.info);
  app.flag({"--verify", "", "Check all sums of the weights' files; --out always does."}, options.verify);
  app.version_of(bert::text::version);
  app.check([&] { options.check(); });
  return app.run(argc, argv, [&] {
    const auto& source = options.directories.front();
    if (options.verify) bert::model::verify(source);
    if (!options.out.empty())
      bert::model::convert({source, options.out, options.store, options.activation}, app.log());
    if (options.info) print(bert::model::describe(source, options.activation, app.log()));
  });
}
