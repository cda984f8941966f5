#include <doctest/doctest.h>

#include "model/parts.h"
#include "model/training_network.h"

using namespace bert;
using model::is_frozen;
using model::level_of;

TEST_CASE("a tensor's name determines its level") {
  CHECK(level_of("embeddings.word_embeddings.weight") == 0);
  CHECK(level_of("embeddings.LayerNorm.bias") == 0);
  CHECK(level_of("encoder.relative_attention_bias.weight") == 0);
  CHECK(level_of("encoder.layer.0.attention.self.query.weight") == 1);
  CHECK(level_of("encoder.layer.11.output.LayerNorm.bias") == 12);
  for (const char* name :
       {"pooler.dense.weight", "cls.predictions.bias", "classifier.weight", "qa_outputs.bias"})
    CHECK_MESSAGE(level_of(name) == model::kAboveLayers, name);
}

TEST_CASE("freezing covers the embeddings and the given number of layers above them") {
  CHECK(is_frozen("embeddings.LayerNorm.bias", 0));
  CHECK_FALSE(is_frozen("encoder.layer.0.output.dense.bias", 0));
  CHECK(is_frozen("encoder.layer.1.output.dense.bias", 2));
  CHECK_FALSE(is_frozen("encoder.layer.2.output.dense.bias", 2));
  CHECK_FALSE(is_frozen("pooler.dense.bias", 12));
}

TEST_CASE("every parameter of a network has a level within the network") {
  model::Config config;
  config.vocab_size = 20;
  config.hidden = 8;
  config.layers = 11;
  config.heads = 2;
  config.feed_forward = 8;
  config.positions = 8;
  Pool pool(1);
  using enum task::Task;
  model::TrainingNetwork network(config, {model::head_of(fill), model::head_of(classify)}, pool);
  for (const auto& entry : network.parameters().layout().entries()) {
    const auto level = level_of(entry.name);
    const bool below = entry.name.starts_with("embeddings.") || entry.name.starts_with("encoder.");
    CHECK_MESSAGE((level == model::kAboveLayers || level <= 11), entry.name);
    CHECK_MESSAGE((level != model::kAboveLayers) == below, entry.name);
  }
}
