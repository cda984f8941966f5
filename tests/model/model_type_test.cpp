#include "model/model_type.h"

#include <doctest/doctest.h>

#include <set>

using namespace bert::model;

TEST_CASE("types have different names, and a config.json without one is BERT's") {
  std::set<std::string_view> names;
  for (const auto& type : model_types()) {
    CHECK(names.insert(type.name).second);
    CHECK(find_model_type(type.name) == &type);
  }
  CHECK(model_types().front().name == "bert");
  CHECK(find_model_type("gpt2") == nullptr);
}

TEST_CASE("tensors are told apart by their names") {
  CHECK(is_of_encoder("embeddings.LayerNorm.bias"));
  CHECK(is_of_encoder(layer_name(3) + ".output.dense.bias"));
  CHECK_FALSE(is_of_encoder("pooler.dense.bias"));
  CHECK(is_of_pooler(std::string(kPoolerLayer) + ".bias"));
  CHECK(level_of(layer_name(3) + ".output.dense.bias") == 4);
}
