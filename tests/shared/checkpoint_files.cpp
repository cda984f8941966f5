// Opens the weights of ../shared/data/weights: names, shapes and numbers as their makers describe them.
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "base/error.h"
#include "ckpt/checkpoint.h"
#include "model/directory.h"

namespace {

using bert::Error;
using bert::ckpt::Checkpoint;

void require(bool holds, const std::string& what) {
  if (!holds) throw Error("not so: ", what);
}

// Every tensor that an encoder of this shape has, with numbers that are numbers.
void check_encoder(const Checkpoint& checkpoint, const bert::model::Config& config) {
  const int64_t hidden = config.hidden;
  const auto check = [&](const std::string& name, std::vector<int64_t> shape) {
    const auto& tensor = checkpoint.get(name, shape);
    std::vector<float> values(static_cast<size_t>(tensor.count()));
    bert::to_f32(tensor.dtype, tensor.data.data(), values);
    for (const float value : values) require(std::abs(value) < 100, name + " holds weights");
  };
  check("embeddings.position_embeddings.weight", {config.positions, hidden});
  check("embeddings.LayerNorm.weight", {hidden});
  for (int64_t layer = 0; layer < config.layers; ++layer) {
    const auto prefix = "encoder.layer." + std::to_string(layer) + ".";
    for (const auto* name : {"query", "key", "value"}) {
      check(prefix + "attention.self." + name + ".weight", {hidden, hidden});
    }
    check(prefix + "intermediate.dense.weight", {config.feed_forward, hidden});
    check(prefix + "output.dense.weight", {hidden, config.feed_forward});
    check(prefix + "output.LayerNorm.bias", {hidden});
  }
}

void check_all(const std::string& weights) {
  const auto novels = bert::model::open_directory(weights + "/mini-novels");
  require(novels.max_length == 128, "mini-novels reads up to 128 tokens");
  require(novels.config.has_architecture("BertForPreTraining"), "mini-novels is a BertForPreTraining");
  const auto whole = Checkpoint::open(novels.path);
  check_encoder(whole, novels.config);
  require(whole.find("cls.predictions.bias") != nullptr, "mini-novels has the masked-language head");
  require(whole.find("cls.predictions.decoder.weight") == nullptr, "its decoder is tied");

  const auto tiny = weights + "/tinybert-4l-312-encoder-only";
  const auto config = bert::model::load_config(tiny);
  require(config.head_size() == 26, "TinyBERT has heads of 26");
  const auto encoder = Checkpoint::open(tiny + "/model_partial.safetensors");
  check_encoder(encoder, config);
  require(encoder.find("embeddings.word_embeddings.weight") == nullptr, "TinyBERT is here without words");

  for (const auto* other : {"keras-bert-test_checkpoint-random", "bert-xsmall-dummy-random"}) {
    try {
      bert::model::open_directory(weights + "/" + other);
      throw Error("no refusal of ", other);
    } catch (const Error& error) {
      require(std::string(error.what()).find("cannot be read yet") != std::string::npos, error.what());
    }
  }
}

}  // namespace

int main() {
  const char* stated = std::getenv("BERT_SHARED");
  const std::string shared = stated != nullptr ? stated : BERT_SOURCE_DIR "/../shared";
  if (!std::filesystem::exists(shared)) {
    std::cout << "skipped: ../shared is absent\n";
    return 0;
  }
  try {
    check_all(shared + "/data/weights");
  } catch (const Error& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
