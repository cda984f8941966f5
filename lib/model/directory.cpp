#include "model/directory.h"

#include <algorithm>

#include "ckpt/checkpoint.h"

namespace bert::model {

int64_t Directory::max_length(std::optional<int64_t> model_max_length) const {
  return std::min({config.positions, sentence.max_seq_length.value_or(config.positions),
                   model_max_length.value_or(config.positions)});
}

int64_t Directory::vector_size(int64_t modes) const {
  int64_t size = modes * config.hidden;
  for (const auto& module : sentence.modules) {
    if (const auto* dense = std::get_if<Dense>(&module)) size = dense->out;
  }
  return size;
}

Directory open_directory(const std::string& path) {
  Directory directory{.path = path, .transformer = transformer_of(path)};
  // Before config.json: a TensorFlow checkpoint has none, and its form is the better reason.
  ckpt::require_weights(directory.transformer);
  auto& config = directory.config = load_config(directory.transformer);
  auto& sentence = directory.sentence = load_sentence_transformer(path, config.hidden);
  config.cross_encoder |= sentence.cross_encoder;
  if (sentence.score_activation) config.score_activation = sentence.score_activation;
  return directory;
}

}  // namespace bert::model
