#include "predict/static_table.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"
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

// The mean of the last hidden states of [CLS] tokens [SEP]: [tokens, H].
std::vector<float> teacher_vectors(const model::Directory& teacher, const text::Tokenizer& tokenizer,
                                   std::span<const std::vector<int32_t>> tokens, Pool& pool) {
  constexpr int64_t kBatchTokens = 2048;
  const auto& config = teacher.config;
  const int last = config.layers;
  model::Network network(teacher, {.layers = last}, pool);
  std::vector<features::Features> sequences;
  for (const auto& ids : tokens) {
    auto& sequence = sequences.emplace_back();
    sequence.ids = {tokenizer.cls()};
    sequence.ids.insert(sequence.ids.end(), ids.begin(), ids.end());
    sequence.ids.push_back(tokenizer.sep());
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

}  // namespace

void make_static(const StaticTable& table, Pool& pool, Log& log) {
  const auto teacher = model::open_directory(table.source, table.activation);
  if (teacher.config.type->words_only) throw Error(teacher.root, ": the model is static already");
  if (same_file(teacher.root, table.out))
    throw Error(table.out, ": is the model to convert; write to another directory");
  model::require_output(table.out, table.existing);
  const auto tokenizer = model::load_tokenizer(teacher);
  const auto vocabulary = text::static_vocabulary(tokenizer, teacher.path, table.vocab);
  const int64_t size = size_of_vectors(table, teacher.config.hidden, std::ssize(vocabulary.ids));
  const auto vectors = teacher_vectors(teacher, tokenizer, vocabulary.ids, pool);
  auto components = nn::principal_components(vectors, teacher.config.hidden, size, pool);
  log.info(counted(components.rows, "token", "tokens") + ", " + std::to_string(size) + " of " +
           std::to_string(teacher.config.hidden) + " numbers, which have " +
           std::to_string(std::lround(100 * components.explained)) + " % of the variance");
  weight_by_frequency(components.scores, size, table.sif);
  const auto config = model::static_config(components.rows, size);
  const ckpt::TensorToWrite tensor{.name = model::stored_name(config, model::kWordTable),
                                   .shape = {components.rows, size},
                                   .data = std::as_bytes(std::span<const float>(components.scores)),
                                   .store = table.store};
  model::TokenizerFiles files;
  files.others.emplace_back("tokenizer.json", vocabulary.tokenizer_json);
  model::save(table.out, config, files, {&tensor, 1}, table.store.value_or(Dtype::f32),
              model::ModuleFiles::of_vectors({.hidden = size, .words_only = true}, {}));
}

}  // namespace bert::predict
