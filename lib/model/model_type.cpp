#include "model/model_type.h"

#include <algorithm>
#include <charconv>

namespace bert::model {
namespace {

constexpr ModelType kTypes[] = {
    {.name = "bert",
     .classes = "Bert",
     .prefix = "bert.",
     .examples = "bert-base-uncased, all-MiniLM-L6-v2 and bge-small-en-v1.5"},
};

constexpr std::string_view kEmbeddings = "embeddings.", kLayers = "encoder.layer.";

}  // namespace

std::span<const ModelType> model_types() { return kTypes; }

const ModelType* find_model_type(std::string_view name) {
  const auto* found = std::ranges::find(kTypes, name, &ModelType::name);
  return found == std::end(kTypes) ? nullptr : found;
}

std::string layer_name(int64_t layer) { return std::string(kLayers) + std::to_string(layer); }

bool is_of_encoder(std::string_view tensor) {
  return tensor.starts_with(kEmbeddings) || tensor.starts_with("encoder.");
}

int64_t level_of(std::string_view tensor) {
  if (tensor.starts_with(kEmbeddings)) return 0;
  if (!tensor.starts_with(kLayers)) return kAboveLayers;
  int64_t layer = 0;
  std::from_chars(tensor.data() + kLayers.size(), tensor.data() + tensor.size(), layer);
  return layer + 1;
}

}  // namespace bert::model
