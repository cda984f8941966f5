#include "ckpt/names.h"

#include <doctest/doctest.h>

#include <vector>

using namespace bert::ckpt;

TEST_CASE("prefixes of heads and of parallel training are removed, once and only at the front") {
  CHECK(canonical_name("bert.pooler.dense.weight") == "pooler.dense.weight");
  CHECK(canonical_name("module.bert.pooler.dense.weight") == "pooler.dense.weight");
  CHECK(canonical_name("module.classifier.bias") == "classifier.bias");
  CHECK(canonical_name("pooler.dense.weight") == "pooler.dense.weight");
  CHECK(canonical_name("gpt.x") == "gpt.x");
  CHECK(canonical_name("x.bert.y") == "x.bert.y");
  CHECK(canonical_name("") == "");
}

TEST_CASE("components that wrappers insert are removed anywhere") {
  CHECK(without_wrappers("_orig_mod.bert._fsdp_wrapped_module.x") == "bert.x");
  CHECK(without_wrappers("bert.encoder.layer.0._checkpoint_wrapped_module.a") == "bert.encoder.layer.0.a");
  CHECK(without_wrappers("my_orig_mod.x") == "my_orig_mod.x");
}

TEST_CASE("the prefix of a wrapper precedes the names of the only encoder") {
  const auto prefix = [](std::vector<std::string_view> names) { return wrapper_prefix(names); };
  const std::string_view words = kWordEmbeddings;
  CHECK(prefix({words, "model.x"}) == "");
  CHECK(prefix({"module.bert.embeddings.word_embeddings.weight"}) == "");
  CHECK(prefix({"model.bert.embeddings.word_embeddings.weight", "model.classifier.weight"}) == "model.");
  CHECK(prefix({"0.auto_model.embeddings.word_embeddings.weight"}) == "0.auto_model.");
  CHECK(prefix({"bert_model.embeddings.word_embeddings.weight"}) == "bert_model.");
  CHECK(prefix({"q.embeddings.word_embeddings.weight", "p.embeddings.word_embeddings.weight"}) == "");
  CHECK(prefix({"q.embeddings.word_embeddings.weight", "bert.embeddings.word_embeddings.weight"}) == "");
  CHECK(prefix({"my_embeddings.word_embeddings.weight"}) == "");
  CHECK(prefix({}) == "");
}

TEST_CASE("gamma and beta are renamed to weight and bias in LayerNorm only") {
  CHECK(canonical_name("bert.embeddings.LayerNorm.gamma") == "embeddings.LayerNorm.weight");
  CHECK(canonical_name("encoder.layer.3.output.LayerNorm.beta") == "encoder.layer.3.output.LayerNorm.bias");
  CHECK(canonical_name("LayerNorm.gamma") == "LayerNorm.weight");
  CHECK(canonical_name("gamma") == "gamma");
  CHECK(canonical_name("scale.gamma") == "scale.gamma");
  CHECK(canonical_name("MyLayerNorm.gamma") == "MyLayerNorm.gamma");
  CHECK(canonical_name("LayerNorm.gamma.extra") == "LayerNorm.gamma.extra");
  CHECK(canonical_name("alphabeta.weight") == "alphabeta.weight");
}

TEST_CASE("the decoder's bias is mapped to the bias of the predictions") {
  CHECK(canonical_name("cls.predictions.decoder.bias") == "cls.predictions.bias");
  CHECK(canonical_name("cls.predictions.decoder.weight") == "cls.predictions.decoder.weight");
}

TEST_CASE("buffers are not weights") {
  CHECK(is_buffer("embeddings.position_ids"));
  CHECK(is_buffer("embeddings.token_type_ids"));
  CHECK(!is_buffer("embeddings.position_embeddings.weight"));
}

TEST_CASE("Google's variables get Hugging Face's names, with matrices transposed") {
  const auto name = [](std::string_view variable) { return tensorflow_name(variable).value().name; };
  const auto transposed = [](std::string_view variable) {
    return tensorflow_name(variable).value().transposed;
  };
  CHECK(name("bert/embeddings/word_embeddings") == "embeddings.word_embeddings.weight");
  CHECK(name("bert/embeddings/token_type_embeddings") == "embeddings.token_type_embeddings.weight");
  CHECK(name("bert/embeddings/LayerNorm/gamma") == "embeddings.LayerNorm.weight");
  CHECK(name("bert/encoder/layer_11/attention/self/query/kernel") ==
        "encoder.layer.11.attention.self.query.weight");
  CHECK(name("bert/encoder/layer_0/attention/output/LayerNorm/beta") ==
        "encoder.layer.0.attention.output.LayerNorm.bias");
  CHECK(name("bert/encoder/layer_0/intermediate/dense/bias") == "encoder.layer.0.intermediate.dense.bias");
  CHECK(name("bert/pooler/dense/kernel") == "pooler.dense.weight");
  CHECK(name("cls/predictions/transform/dense/kernel") == "cls.predictions.transform.dense.weight");
  CHECK(name("cls/predictions/transform/LayerNorm/gamma") == "cls.predictions.transform.LayerNorm.weight");
  CHECK(name("cls/predictions/output_bias") == "cls.predictions.bias");
  CHECK(name("cls/seq_relationship/output_weights") == "cls.seq_relationship.weight");
  CHECK(name("cls/squad/output_weights") == "qa_outputs.weight");
  CHECK(name("output_weights") == "classifier.weight");
  CHECK(name("output_bias") == "classifier.bias");
  CHECK(name("other/dense/kernel") == "other/dense/kernel");
  CHECK(transposed("bert/pooler/dense/kernel"));
  CHECK(!transposed("bert/pooler/dense/bias"));
  CHECK(!transposed("bert/embeddings/word_embeddings"));
  CHECK(!transposed("output_weights"));
  CHECK(!transposed("other/dense/kernel"));
}

TEST_CASE("optimizer state is not part of a model") {
  for (const auto* variable :
       {"global_step", "bert/pooler/dense/kernel/adam_m", "bert/pooler/dense/kernel/adam_v",
        "output_bias/adam_v", "AdamWeightDecayOptimizer/x", "beta1_power", "bert/pooler/dense/bias/Adam_1"}) {
    CHECK(!tensorflow_name(variable));
  }
  CHECK(tensorflow_name("bert/adam_mm"));
}
