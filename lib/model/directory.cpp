#include "model/directory.h"

#include <algorithm>
#include <filesystem>

#include "ckpt/checkpoint.h"
#include "io/json.h"

namespace bert::model {
namespace {

int64_t max_length_of(const Directory& directory) {
  int64_t length =
      std::min(directory.config.positions, directory.sentence.max_seq_length.value_or(INT64_MAX));
  const auto path = std::filesystem::path(directory.path) / "tokenizer_config.json";
  if (std::error_code none; !std::filesystem::is_regular_file(path, none)) return length;
  const io::JsonFile file(path.string());
  const double stated = file.number("model_max_length", 0.0);  // transformers writes 1e30 for "no limit"
  if (stated >= 1 && stated < static_cast<double>(length)) length = static_cast<int64_t>(stated);
  return length;
}

}  // namespace

int64_t Directory::vector_size(int64_t modes) const {
  int64_t size = modes * config.hidden;
  for (const auto& module : sentence.modules) {
    if (const auto* dense = std::get_if<Dense>(&module)) size = dense->out;
  }
  return size;
}

Directory open_directory(const std::string& path) {
  Directory directory{.root = path, .path = transformer_of(path)};
  // Before config.json: a TensorFlow checkpoint has none, and its form is the better reason.
  ckpt::require_weights(directory.path);
  auto& config = directory.config = load_config(directory.path);
  auto& sentence = directory.sentence = load_sentence_transformer(path, config.hidden);
  config.cross_encoder |= sentence.cross_encoder;
  if (sentence.score_activation) config.score_activation = sentence.score_activation;
  directory.max_length = max_length_of(directory);
  return directory;
}

}  // namespace bert::model
