#include "ckpt/names.h"

#include <doctest/doctest.h>

using namespace bert::ckpt;

TEST_CASE("prefixes of heads and of parallel training are dropped, once and only in front") {
  CHECK(canonical_name("bert.pooler.dense.weight") == "pooler.dense.weight");
  CHECK(canonical_name("module.bert.pooler.dense.weight") == "pooler.dense.weight");
  CHECK(canonical_name("module.classifier.bias") == "classifier.bias");
  CHECK(canonical_name("pooler.dense.weight") == "pooler.dense.weight");
  CHECK(canonical_name("distilbert.x") == "distilbert.x");
  CHECK(canonical_name("x.bert.y") == "x.bert.y");
  CHECK(canonical_name("") == "");
}

TEST_CASE("gamma and beta are weight and bias of a LayerNorm and of nothing else") {
  CHECK(canonical_name("bert.embeddings.LayerNorm.gamma") == "embeddings.LayerNorm.weight");
  CHECK(canonical_name("encoder.layer.3.output.LayerNorm.beta") == "encoder.layer.3.output.LayerNorm.bias");
  CHECK(canonical_name("LayerNorm.gamma") == "LayerNorm.weight");
  CHECK(canonical_name("gamma") == "gamma");
  CHECK(canonical_name("scale.gamma") == "scale.gamma");
  CHECK(canonical_name("MyLayerNorm.gamma") == "MyLayerNorm.gamma");
  CHECK(canonical_name("LayerNorm.gamma.extra") == "LayerNorm.gamma.extra");
  CHECK(canonical_name("alphabeta.weight") == "alphabeta.weight");
}

TEST_CASE("the decoder's bias is the bias of the predictions") {
  CHECK(canonical_name("cls.predictions.decoder.bias") == "cls.predictions.bias");
  CHECK(canonical_name("cls.predictions.decoder.weight") == "cls.predictions.decoder.weight");
}

TEST_CASE("buffers are no weights") {
  CHECK(is_buffer("embeddings.position_ids"));
  CHECK(is_buffer("embeddings.token_type_ids"));
  CHECK(!is_buffer("embeddings.position_embeddings.weight"));
}
