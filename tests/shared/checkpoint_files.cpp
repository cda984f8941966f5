// Opens the weights in ../shared/data/weights and checks names, shapes and numbers against their
// documentation.
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "base/error.h"
#include "ckpt/checkpoint.h"
#include "ckpt/names.h"
#include "ckpt/tensorflow.h"
#include "model/directory.h"

namespace {

using bert::Error;
using bert::ckpt::Checkpoint;

void require(bool holds, const std::string& what) {
  if (!holds) throw Error("not so: ", what);
}

// All tensors of an encoder with these sizes are present and contain finite numbers.
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

// A whole model, opened as by a tool.
Checkpoint check_model(const std::string& path) {
  const auto directory = bert::model::open_directory(path);
  auto checkpoint = Checkpoint::open(directory.path);
  check_encoder(checkpoint, directory.config);
  checkpoint.check_sums();
  return checkpoint;
}

void check_torch(const std::string& path) {
  const auto checkpoint = check_model(path);
  require(checkpoint.tensors().size() == 5 + 16 + 2,
          "the small .bin has the tensors of a BertModel of one layer");
}

void check_tensorflow(const std::string& path) {
  const auto checkpoint = check_model(path);
  require(checkpoint.tensors().size() == 5 + 2 * 16 + 2 + 7,
          "the small checkpoint has 46 weights, moments left out");
  require(checkpoint.find("encoder.layer.1.output.dense.weight")->transposed, "its matrices are transposed");
}

// An index without its data files: the whole table is read before this is detected.
void check_index(const std::string& path) {
  const bert::MappedFile file(path);
  const auto entries = bert::ckpt::read_sstable(file.bytes());
  require(entries.size() >= 136, path + " has the tensors of a BERT");
  size_t matrices = 0;
  for (const auto& [key, value] : entries) {
    if (key.empty()) continue;
    const auto entry = bert::ckpt::read_bundle_entry(value);
    uint64_t bytes = entry.dtype == 9 ? 8 : 4;
    for (const auto extent : entry.shape) bytes *= static_cast<uint64_t>(extent);
    require(entry.size == bytes && entry.crc != 0, path + ": " + key + " has a size and a sum");
    const auto name = bert::ckpt::tensorflow_name(key);
    matrices += name && name->transposed;
  }
  require(matrices == 12 * 6 + 2 || matrices == 8 * 6 + 2, path + " has 8 or 12 layers");
  try {
    Checkpoint::open(path);
    throw Error("no refusal of ", path);
  } catch (const Error& error) {
    require(std::string(error.what()).ends_with(".data-00000-of-00001: No such file or directory"),
            error.what());
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

  check_torch(weights + "/bert-xsmall-dummy-random");
  check_tensorflow(weights + "/keras-bert-test_checkpoint-random");
  for (const auto* index : {"google-research__bert", "hwf87__bert_wwm", "llSiddharthll__Bert"}) {
    check_index(weights + "/real-tf-checkpoint-indexes/" + index + "__bert_model.ckpt.index");
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
