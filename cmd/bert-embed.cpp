// bert-embed: computes vectors of texts.
#include <algorithm>

#include "base/option.h"
#include "cli/app.h"
#include "heads/vector_model.h"
#include "heads/version.h"
#include "options/feature_options.h"
#include "options/model_options.h"
#include "options/number_options.h"
#include "options/stream_options.h"
#include "options/vector_options.h"
#include "predict/attention_filter.h"
#include "predict/embed_filter.h"
#include "predict/sparse_filter.h"
#include "text/tokenizer.h"
#include "text/version.h"

namespace opt = bert::opt;

namespace {

using namespace bert;
using heads::Combine;

void pooling_options(cli::App& app, heads::VectorOptions& vectors) {
  app.section("Vectors");
  cmd::pooling_option(app, vectors.pooling, cmd::PoolingOf::vectors);
  app.numbers({opt::layers, "N,...",
               "Layers to read: 0 is the embeddings, 1 the first layer, -1 the last (default -1)."},
              {.min = -1000, .max = 1000}, vectors.layers);
  app.choice<Combine>({opt::combine, "", "How to combine several layers (default concat)."},
                      {{"concat", Combine::concat}, {"sum", Combine::sum}, {"mean", Combine::mean}},
                      vectors.combine);
  app.reals(
      {opt::layer_weights, "W,...", "Weights of the layers, for --combine sum (then the default) or mean."},
      {.min = -1e6, .max = 1e6}, vectors.layer_weights);
  app.flag({opt::normalize, "", "Scale vectors to unit length (L2)."}, vectors.normalize);
  app.number({opt::dim, "N", "Keep only the first N numbers of each vector."}, {.min = 1}, vectors.dim);
  cmd::prompt_option(app, vectors.prompt);
}

void attention_option(cli::App& app, bool& attention) {
  app.flag(
      {"--attention", "",
       "Write the attention weights between the tokens, of each head of the --layers, instead of vectors."},
      attention);
}

using model::SparsePooling;
using AskedPooling = std::optional<SparsePooling>;  // nullopt: the model's

void sparse_options(cli::App& app, std::optional<AskedPooling>& sparse, std::optional<int64_t>& most) {
  cli::Choices<std::optional<AskedPooling>> choices = {{"model", AskedPooling()}};
  for (const auto& [name, pooling] : model::kSparsePoolings) choices.emplace_back(name, pooling);
  app.choice<std::optional<AskedPooling>>(
      {opt::sparse, "",
       "Write a weight for each word of the vocabulary instead of a vector, as "
       "SPLADE does: the largest one over "
       "the tokens, their sum, either of logarithms, or what the model says."},
      choices, sparse);
  app.number({opt::top_k, "N", "For --sparse: only the N words with the largest weights."}, {.min = 1}, most);
}

void output_options(cli::App& app, predict::EmbedOptions& embed, cmd::StreamOptions& stream) {
  cmd::format_option(
      app, stream,
      "Write records (jsonl), rows of numbers (npy and npy-f16 need a file: -o FILE or > FILE), "
      "the JSON of Google's extract_features.py, or the weights of --attention as shaded tables (html).");
  app.flag({"--base64", "", "Write each vector in a record as base64 of its f32 numbers."},
           embed.vectors.base64);
}

// Tables are rows of numbers alone; with --keep they have named columns, the vector last unless it is named.
void settle_output(predict::EmbedOptions& embed, io::StreamOptions& stream) {
  auto& format = embed.vectors.format;
  using Kind = heads::Pooling::Kind;
  using io::Format;
  const auto& pooling = embed.vectors.pooling.kind;
  if (embed.vectors.base64 && format != Format::jsonl &&
      (!io::entry(format).is_table() || stream.keep.empty()))
    throw cli::UsageError("--base64 requires --format jsonl, or tsv or csv with --keep");
  if (format == Format::google && pooling != Kind::automatic && pooling != Kind::none)
    throw cli::UsageError(
        "--pooling cannot be used with --format google, which writes a vector for each token");
  if (stream.keep.empty() || format == Format::jsonl) return;
  if (pooling == Kind::none)
    throw cli::UsageError(
        "--keep with --format tsv or csv cannot be used with --pooling none, which has several vectors for "
        "each text");
  format = Format::jsonl;
  const auto is_vector = [](const std::string& name) {
    return name.starts_with("embedding") && name != heads::kVectorModel;
  };
  if (std::ranges::none_of(stream.keep, is_vector)) stream.keep.emplace_back("embedding");
}

void check_weights(const heads::VectorOptions& vectors) {
  const auto& weights = vectors.layer_weights;
  if (weights.empty()) return;
  const auto expected = std::max<size_t>(vectors.layers.size(), 1);
  if (weights.size() != expected)
    throw cli::UsageError("--layer-weights needs ",
                          counted(static_cast<int64_t>(expected), "value", "values"),
                          ", one for each of --layers, not ", weights.size());
  if (std::ranges::all_of(weights, [](float weight) { return weight == 0; }))
    throw cli::UsageError("--layer-weights are all 0: so would be all vectors");
}

// What cannot be used together.
void rules(cli::App& app) {
  const std::vector<std::string> windows = {"split", "windows"};
  app.needs("--attention", {opt::format, {"jsonl", "html"}});
  app.needs({opt::format, {"html"}}, "--attention", ", whose weights it shows");
  app.excludes({opt::pooling, opt::combine, opt::layer_weights, opt::normalize, opt::dim, "--base64"},
               "--attention", ", which writes no vectors");
  app.excludes({{opt::overflow, windows}}, "--attention", ", which reads a text as one sequence");
  app.needs(opt::sparse, {opt::format, {"jsonl"}});
  app.excludes({opt::pooling, opt::layers, opt::combine, opt::layer_weights, opt::normalize, opt::dim,
                "--base64", "--attention"},
               opt::sparse, ", which writes no vectors");
  app.excludes({{opt::overflow, windows}}, opt::sparse, ", which reads a text as one sequence");
  app.needs(opt::top_k, opt::sparse);
  app.needs(opt::drop, {opt::format, {"jsonl"}}, "; --keep chooses the columns of tsv and csv");
  cmd::needs_fields(app, opt::keep);
  app.excludes({{opt::overflow, windows}}, {opt::format, {"google"}}, ", which has no windows");
  app.excludes({{opt::overflow, {"windows"}}}, {opt::pooling, {"none"}},
               "; --overflow split writes each token once");
  app.excludes({"--base64"}, "--precision");
  cmd::needs_text(app, "--precision");
  app.needs(opt::layer_weights, {opt::combine, {"sum", "mean"}});
  app.excludes({opt::combine, opt::layer_weights, opt::normalize, opt::dim}, {opt::format, {"google"}},
               ", which writes layers unchanged");
}

// Only the output format google and records of windows contain the index of a record.
void shard_option(cli::App& app, cmd::StreamOptions& stream) {
  app.section("Input");
  app.number({"--first-record", "K",
              "For --format google and --overflow windows: number of the first record, for a part of a "
              "larger input."},
             {.min = 0}, stream.settings.first_record);
}

}  // namespace

int main(int argc, char** argv) {
  cli::App app("bert-embed", "Add a vector to each record: of its text, or of each of its tokens.");
  cmd::ModelOptions model(app);
  predict::EmbedOptions embed;
  pooling_options(app, embed.vectors);
  bool attention = false;
  attention_option(app, attention);
  std::optional<AskedPooling> sparse;
  std::optional<int64_t> most;
  sparse_options(app, sparse, most);
  cmd::LengthOptions length(app, "truncate", cmd::LengthOptions::Windows::apart);
  cmd::StreamOptions stream(
      app, {.load = cmd::StreamOptions::Load::network,
            .more = io::formats_of({io::RecordKind::tagged}),
            .formats = io::formats_of({io::FormatGroup::json, io::FormatGroup::array, io::FormatGroup::table},
                                      {io::Format::google, io::Format::html})});
  shard_option(app, stream);
  output_options(app, embed, stream);
  cmd::precision_option(app, embed.precision);
  cmd::batch_option(app, embed.compute.batch_tokens);
  rules(app);
  app.most_used({"--model", opt::recursive, opt::pooling, opt::normalize, "--output", opt::format, opt::keep,
                 opt::text_field, opt::max_length, opt::overflow, "--threads"});
  app.check([&] {
    cmd::set_input(embed.features, stream, length);
    embed.max_length = length.max_length;
    embed.features.take_ids = cmd::takes_ids(stream);
    embed.expects_pairs = stream.pair_field_given();
    embed.windows_apart = length.apart;
    embed.vectors.format = stream.settings.format;
    if (app.given("--first-record") && !length.apart && embed.vectors.format != io::Format::google)
      throw cli::UsageError(
          "--first-record needs --format google or --overflow windows, which number records");
    check_weights(embed.vectors);
    settle_output(embed, stream.settings);
  });
  app.version_of(text::version);
  app.version_of(heads::version);
  app.examples({{"Write a matrix for NumPy, a row for each line",
                 "bert-embed --format npy -o reviews.npy reviews.txt"},
                {"Add a vector of unit length to each record",
                 "bert-embed --normalize -o vectors.jsonl reviews.txt"}});
  return app.run(argc, argv, [&] {
    const auto directory = model.open();
    const auto tokenizer = model::load_tokenizer(directory);
    stream.take_kept(directory.config.kept_options);
    embed.features.pair_field = stream.settings.pair_field;
    embed.drop = stream.settings.drop;
    embed.compute.dtype = model.dtype;
    embed.output = stream.settings.output;
    stream.settings.budget = embed.compute.batch_tokens;
    if (attention) {
      predict::AttentionFilter weights(directory, tokenizer, embed, stream.pool(), app.log());
      stream.transform(weights);
      return;
    }
    if (sparse) {
      predict::SparseFilter weights(directory, tokenizer, embed, {.pooling = *sparse, .most = most},
                                    stream.pool(), app.log());
      stream.transform(weights);
      return;
    }
    predict::EmbedFilter embedder(directory, tokenizer, embed, stream.pool(), app.log());
    stream.transform(embedder);
  });
}
