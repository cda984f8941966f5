#include "predict/static_table.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"
#include "base/file.h"
#include "base/option.h"
#include "features/features.h"
#include "heads/batches.h"
#include "heads/pooling.h"
#include "model/directory.h"
#include "model/network.h"
#include "model/stored_tensors.h"
#include "nn/principal_components.h"
#include "text/static_vocabulary.h"

namespace bert::predict {
namespace {

constexpr int64_t kUsualSize = 256;
constexpr double kUsualSif = 1e-4;

// Differences from the mean of n vectors have at most n - 1 components.
int64_t size_of_vectors(const StaticTable& table, int64_t hidden, int64_t tokens) {
  const int64_t most = std::clamp(tokens - 1, int64_t{1}, hidden);
  const int64_t size = table.dim.value_or(std::min(kUsualSize, most));
  if (size > hidden)
    throw OptionError(opt::dim, " is ", size, ", but the vectors of ", table.source, " have ", hidden,
                      " numbers");
  if (size > most)
    throw OptionError(opt::dim, " is ", size, ", but ", counted(tokens, "token", "tokens"), " have at most ",
                      counted(most, "principal component", "principal components"));
  return size;
}

// The mean of the last hidden states of [CLS] tokens [SEP], or of a static model's tokens: [tokens, H].
std::vector<float> teacher_vectors(const model::Directory& teacher, const text::Tokenizer& tokenizer,
                                   std::span<const std::vector<int32_t>> tokens, Pool& pool) {
  constexpr int64_t kBatchTokens = 2048;
  const auto& config = teacher.config;
  const int last = config.layers;
  model::Network network(teacher, {.layers = last}, pool);
  std::vector<features::Features> sequences;
  for (const auto& ids : tokens) {
    auto& sequence = sequences.emplace_back();
    sequence.ids = ids;
    if (!config.type->words_only) {
      sequence.ids.insert(sequence.ids.begin(), tokenizer.cls());
      sequence.ids.push_back(tokenizer.sep());
    }
    sequence.types.assign(sequence.ids.size(), 0);
    heads::require_readable(sequence, config);
  }
  constexpr heads::PoolingMode kMode[] = {heads::PoolingMode::mean};
  heads::SequencePooling pooling(kMode, config.hidden);
  std::vector<float> vectors(tokens.size() * config.hidden);
  const auto take = [&](const nn::Batch& batch, size_t first) {
    const auto hidden = network.hidden(batch, {.layers = {last}});
    for (int64_t i = 0; i < batch.sequences(); ++i) {
      pooling.start();
      for (int64_t row = batch.offsets[i]; row < batch.offsets[i + 1]; ++row)
        pooling.add(hidden[0].values(row));
      pooling.finish(std::span(vectors).subspan((first + i) * config.hidden, config.hidden));
    }
  };
  const auto sequence = [&](size_t i) -> const features::Features& { return sequences[i]; };
  heads::run_in_batches(sequences.size(), sequence, kBatchTokens, take);
  if (!std::ranges::all_of(vectors, [](float x) { return std::isfinite(x); }))
    throw Error("a vector of the teacher is not finite", network.cause_of_not_finite());
  return vectors;
}

void weight_by_frequency(std::span<float> vectors, int64_t width, double a) {
  if (a == 0) return;
  const auto rows = static_cast<int64_t>(vectors.size()) / width;
  double sum = 0;
  for (int64_t row = 0; row < rows; ++row) sum += 1.0 / static_cast<double>(row + 2);
  for (int64_t row = 0; row < rows; ++row) {
    const double probability = 1.0 / static_cast<double>(row + 2) / sum;
    const double weight = a / (a + probability);
    for (float& number : vectors.subspan(row * width, width)) number = static_cast<float>(weight * number);
  }
}

struct Table {
  int64_t width;
  std::vector<float> vectors;  // [tokens, width]
  std::string tokenizer_json;
};

Table teacher_table(const StaticTable& table, const model::Directory& teacher, Pool& pool, Log& log) {
  const auto tokenizer = model::load_tokenizer(teacher);
  auto vocabulary = text::static_vocabulary(tokenizer, teacher.path, table.vocab);
  const int64_t hidden = teacher.config.hidden, tokens = std::ssize(vocabulary.ids);
  const int64_t size = size_of_vectors(table, hidden, tokens);
  const auto vectors = teacher_vectors(teacher, tokenizer, vocabulary.ids, pool);
  auto components = nn::principal_components(vectors, hidden, size, pool);
  log.info(counted(tokens, "token", "tokens") + ", " + std::to_string(size) + " of " +
           std::to_string(hidden) + " numbers, which have " +
           std::to_string(std::lround(100 * components.explained)) + " % of the variance");
  weight_by_frequency(components.scores, size, table.sif.value_or(kUsualSif));
  return {size, std::move(components.scores), std::move(vocabulary.tokenizer_json)};
}

// Each vector [modules' in] through the dense layers. The mean of what this gives is what the layers give for
// the mean, since they are linear.
std::vector<float> through_modules(const model::Directory& model, std::vector<float> vectors) {
  int64_t width = model.config.hidden;
  bool scaled = false;
  for (const auto& module : model.sentence.modules) {
    const auto* dense = std::get_if<model::Dense>(&module);
    if (dense && (scaled || dense->activation != nn::Activation::none))
      throw Error(model.root, ": its dense layers cannot be folded into the table: one is not linear");
    if (!dense) {
      scaled = true;
      continue;
    }
    std::vector<float> next;
    for (size_t at = 0; at < vectors.size(); at += width)
      std::ranges::copy(heads::project(*dense, std::span(vectors).subspan(at, width)),
                        std::back_inserter(next));
    vectors = std::move(next);
    width = dense->out;
  }
  return vectors;
}

// As many directions as the vectors can have: dense layers add one by their biases.
int64_t independent_numbers(const model::Directory& model, int64_t tokens) {
  int64_t most = model.config.hidden;
  for (const auto& module : model.sentence.modules)
    if (const auto* dense = std::get_if<model::Dense>(&module))
      most = std::min(dense->out, most + (dense->bias.empty() ? 0 : 1));
  return std::min(most, tokens);
}

Table shortened_table(const StaticTable& table, const model::Directory& model, Pool& pool, Log& log) {
  if (!table.vocab.empty()) throw Error(table.source, ": is static already; cut its vocabulary before");
  if (table.sif) throw Error(table.source, ": is static already, and its tokens have weights");
  if (model.sentence.truncate_dim) throw Error(table.source, ": has truncate_dim, which a table cannot have");
  std::vector<std::vector<int32_t>> ids;
  for (int64_t id = 0; id < model.config.vocab_size; ++id) ids.push_back({static_cast<int32_t>(id)});
  const auto vectors =
      through_modules(model, teacher_vectors(model, model::load_tokenizer(model), ids, pool));
  const int64_t tokens = std::ssize(ids), width = std::ssize(vectors) / tokens;
  const int64_t most = independent_numbers(model, tokens), size = table.dim.value_or(most);
  if (size > most)
    throw OptionError(opt::dim, " is ", size, ", but the vectors of ", table.source, " have ", most,
                      " independent numbers");
  auto components = nn::principal_components(vectors, width, size, pool, nn::Mean::kept);
  log.info(counted(tokens, "token", "tokens") + ", " + std::to_string(size) + " of " + std::to_string(width) +
           " numbers, which have " + std::to_string(std::lround(100 * components.explained)) +
           " % of the squares");
  return {size, std::move(components.scores), read_file(model.path + "/tokenizer.json")};
}

bool is_scaled(const model::Directory& model) {
  return std::ranges::any_of(model.sentence.modules, [](const model::Module& module) {
    return std::holds_alternative<model::Normalize>(module);
  });
}

}  // namespace

void make_static(const StaticTable& table, Pool& pool, Log& log) {
  const auto teacher = model::open_directory(table.source, table.activation);
  if (same_file(teacher.root, table.out))
    throw Error(table.out, ": is the model to convert; write to another directory");
  model::require_output(table.out, table.existing);
  const bool was_static = teacher.config.type->words_only;
  const auto made =
      was_static ? shortened_table(table, teacher, pool, log) : teacher_table(table, teacher, pool, log);
  const int64_t tokens = std::ssize(made.vectors) / made.width;
  const auto config = model::static_config(tokens, made.width);
  const ckpt::TensorToWrite tensor{.name = model::stored_name(config, model::kWordTable),
                                   .shape = {tokens, made.width},
                                   .data = std::as_bytes(std::span<const float>(made.vectors)),
                                   .store = table.store};
  model::TokenizerFiles files;
  files.others.emplace_back("tokenizer.json", made.tokenizer_json);
  using Scale = model::ModuleFiles::Scale;
  const auto modules =
      model::ModuleFiles::of_vectors({.hidden = made.width,
                                      .words_only = true,
                                      .scale = was_static && !is_scaled(teacher) ? Scale::no : Scale::unit},
                                     was_static ? teacher.sentence : model::SentenceTransformer());
  model::save(table.out, config, files, {&tensor, 1}, table.store.value_or(Dtype::f32), modules);
}

}  // namespace bert::predict
