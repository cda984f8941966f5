// bert-embed: text → vectors.
#include "activation_option.h"
#include "cli/app.h"
#include "cli/length_options.h"
#include "cli/model_options.h"
#include "cli/precision_option.h"
#include "cli/stream_options.h"
#include "model/directory.h"
#include "network_options.h"
#include "task/embed.h"
#include "task/version.h"
#include "text/tokenizer.h"
#include "text/version.h"

namespace {

using namespace bert;
using task::Combine;

void pooling_options(cli::App& app, task::VectorOptions& vectors) {
  app.section("Vectors");
  using enum task::Pooling;
  app.choice<task::Pooling>(
      {"--pooling", "", "How a text's tokens become one vector; auto: as the model says, else mean."},
      {{"auto", automatic}, {"cls", cls}, {"mean", mean}, {"max", max}, {"pooler", pooler}, {"none", none}},
      vectors.pooling);
  app.numbers({"--layers", "N,...", "Layers to read: 0 embeddings, 1 and up, -1 the last (default -1)."},
              {.min = -1000, .max = 1000}, vectors.layers);
  app.choice<Combine>({"--combine", "", "What becomes of several layers (default concat)."},
                      {{"concat", Combine::concat}, {"sum", Combine::sum}, {"mean", Combine::mean}},
                      vectors.combine);
  app.reals({"--layer-weights", "W,...", "A weight for each layer, for sum (then the default) and mean."},
            {.min = -1e6, .max = 1e6}, vectors.layer_weights);
  app.flag({"--normalize", "", "Make vectors 1 long."}, vectors.normalize);
  app.number({"--dim", "N", "Keep the first N numbers of each vector."}, {.min = 1}, vectors.dim);
  app.option({"--prompt", "TEXT|NAME", "Text put before each text, or a name of the model's prompts."},
             vectors.prompt);
}

void output_options(cli::App& app, task::EmbedOptions& embed) {
  app.section("Output");
  using enum task::VectorFormat;
  app.choice<task::VectorFormat>(
      {"--format", "", "Records, rows of numbers (npy needs -o), or extract_features.py's JSON."},
      {{"jsonl", jsonl}, {"npy", npy}, {"f32", f32}, {"tsv", tsv}, {"google", google}}, embed.vectors.format);
}

// Of the forms of output google's alone says where a record stands.
void shard_option(cli::App& app, cli::StreamOptions& stream) {
  app.section("Input");
  app.number({"--first-record", "K", "Place of the first record, in a shard; google counts from it."},
             {.min = 0}, stream.settings.first_record);
}

}  // namespace

int main(int argc, char** argv) {
  cli::App app("bert-embed", "Add a vector to each record, of its text or of its tokens.");
  cli::ModelOptions model(app);
  std::string activation;
  cmd::activation_option(app, activation);
  task::EmbedOptions embed;
  pooling_options(app, embed.vectors);
  cli::LengthOptions length(app, cli::LengthOptions::Overflow::truncate, "truncate");
  cli::StreamOptions stream(app, cli::StreamOptions::Load::network);
  shard_option(app, stream);
  cli::PrecisionOption precision(app);
  output_options(app, embed);
  cmd::batch_option(app, embed.batch_tokens);
  app.check([&] {
    cmd::set_network_input(embed.features, stream, length);
    if (const auto wrong = task::conflict(embed)) throw cli::UsageError(*wrong);
  });
  app.version_of(text::version);
  app.version_of(task::version);
  return app.run(argc, argv, [&] {
    const auto directory = model::open_directory(model.path, activation);
    const auto tokenizer = text::load_tokenizer(directory.path);
    embed.precision = precision.digits;
    embed.drop = stream.settings.drop;
    embed.dtype = model.dtype;
    stream.settings.budget = embed.batch_tokens;
    stream.settings.needs_regular_output = embed.vectors.format == task::VectorFormat::npy;
    task::Embedder embedder(directory, tokenizer, embed, stream.pool(), app.log());
    stream.transform(embedder);
  });
}
