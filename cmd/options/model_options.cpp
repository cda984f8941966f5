#include "options/model_options.h"

#include "base/error.h"
#include "base/option.h"
#include "model/config.h"

namespace bert::cmd {

void dtype_option(cli::App& app, Int8 int8, std::optional<Dtype>& dtype) {
  using Choice = std::pair<std::string_view, std::optional<Dtype>>;
  cli::Choices<std::optional<Dtype>> choices = {
      {"auto", std::nullopt}, {"f32", Dtype::f32}, {"bf16", Dtype::bf16}};
  if (int8 == Int8::yes) choices.push_back(Choice("int8", Dtype::i8));
  app.choice({opt::dtype, "", "Number format of the encoder's matrix products."}, choices, dtype);
}

void activation_option(cli::App& app, std::string& activation) {
  app.custom(
      {opt::activation, "NAME",
       "Activation function of the feed-forward layers; overrides config.json: gelu, gelu_new, relu, ..."},
      [&activation](const std::string& name, const std::string& value) {
        if (!model::activation_named(value))
          throw cli::UsageError(name, " must be ", model::kActivationNames, ", not \"", value, "\"");
        activation = value;
      });
}

namespace {

constexpr std::string_view kWays = "use -m DIR or set BERT_MODEL";

}  // namespace

model::Directory ModelOptions::open() const {
  auto directory = model::open_directory(model_directory(path, kWays), activation);
  if (directory.config.type->words_only && (!activation.empty() || dtype.value_or(Dtype::f32) != Dtype::f32))
    throw cli::UsageError(activation.empty() ? opt::dtype : opt::activation, " is for layers, which ",
                          directory.path, ", a table of the vectors of words, does not have");
  return directory;
}

cli::Kept ModelOptions::kept() const {
  try {
    return open().config.kept_options;
  } catch (const Error&) {
    return {};
  }
}

ModelOptions::ModelOptions(cli::App& app, Opened opened) {
  app.section("Model");
  app.option({"-m,--model", "DIR", "Model directory (default: $BERT_MODEL, else the default model)."}, path);
  dtype_option(app, Int8::yes, dtype);
  activation_option(app, activation);
  app.check([this, &app, opened] {
    if (opened == Opened::always) path = model_directory(path, kWays);
    if (!path.empty()) read_files_of(app, path);
  });
}

void batch_option(cli::App& app, int64_t& batch_tokens) {
  app.section("Running");
  app.number({opt::batch_tokens, "N", "Number of tokens per forward pass; limits memory."}, {.min = 1},
             batch_tokens);
}

}  // namespace bert::cmd
