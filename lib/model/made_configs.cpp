#include <algorithm>

#include "model/config.h"

// Configurations that come from no file.

namespace bert::model {

Config static_config(int64_t vocab_size, int64_t hidden) {
  constexpr int64_t kMostTokens = 1 << 16;  // of a text, so that one text does not need all memory
  Config config;
  config.type = &static_type();
  config.vocab_size = vocab_size;
  config.hidden = hidden;
  config.layers = 0;
  config.heads = config.feed_forward = 1;
  config.positions = kMostTokens;
  config.types = 0;
  config.hidden_dropout = config.attention_dropout = config.classifier_dropout = 0;
  return config;
}

Config config_of(const Preset& preset, int64_t vocab_size) {
  constexpr int64_t kHeadSize = 64;
  Config config;
  config.vocab_size = vocab_size;
  config.layers = preset.layers;
  config.hidden = preset.hidden;
  config.heads = preset.hidden / kHeadSize;
  config.feed_forward = 4 * preset.hidden;
  return config;
}

Config generator_of(const Config& discriminator) {
  Config config = discriminator;
  config.generator_heads = 0;
  config.heads = discriminator.generator_heads;
  config.hidden = config.heads * discriminator.head_size();
  config.feed_forward = discriminator.feed_forward * config.heads / discriminator.heads;
  config.embedding = discriminator.embedding_width();
  config.architectures = {std::string(config.type->classes) + "ForMaskedLM"};
  return config;
}

std::string_view name_of(EmbeddingSharing sharing) {
  return std::ranges::find(kEmbeddingSharings, sharing, [](const auto& entry) { return entry.second; })
      ->first;
}

std::string name_in_generator(std::string name, const Config& discriminator) {
  return is_in_generator(name, discriminator) ? std::move(name) : std::string(kGeneratorPrefix) + name;
}

bool is_in_generator(std::string_view tensor, const Config& discriminator) {
  const bool one_for_both = discriminator.embedding_sharing == EmbeddingSharing::es;
  return is_of_generator(tensor) || (one_for_both && is_shared(tensor, *discriminator.type));
}

}  // namespace bert::model
