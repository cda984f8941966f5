#include "model/parts.h"

#include <algorithm>
#include <cassert>
#include <charconv>

#include "base/error.h"

namespace bert::model {

nn::EncoderLayer::Config layer_config(const Config& config) {
  return {.hidden = config.hidden,
          .heads = config.heads,
          .feed_forward = config.feed_forward,
          .activation = config.activation,
          .norm_epsilon = config.norm_epsilon,
          .mask = config.causal ? nn::Attention::Mask::causal : nn::Attention::Mask::none};
}

MaskedLm::MaskedLm(const Config& config, nn::Layout& layout)
    : dense("cls.predictions.transform.dense", config.hidden, config.hidden, layout),
      norm("cls.predictions.transform.LayerNorm", config.hidden, config.norm_epsilon, layout),
      decoder("cls.predictions.bias", config.vocab_size, config.hidden, layout) {}

const ckpt::StoredTensor& stored_tensor(const ckpt::Checkpoint& checkpoint, const std::string& name,
                                        std::span<const int64_t> shape, const Config& config) {
  try {
    return checkpoint.get(name, shape);
  } catch (const Error& error) {
    const auto* const found = checkpoint.find(name);
    const bool other_count =
        found != nullptr && !found->shape.empty() && found->shape.front() != shape.front();
    if (!name.starts_with("classifier.") || !other_count) throw;
    const int64_t labels = config.labels.size();
    throw Error(error.what(), "; id2label of config.json has ", counted(labels, "label", "labels"));
  }
}

void check_batch(const Config& config, const nn::Batch& batch) {
  assert(batch.types.size() == batch.ids.size());
  for (const int32_t id : batch.ids) {
    if (id < 0 || id >= config.vocab_size) {
      throw Error("token id is ", id, ", expected 0 to ", config.vocab_size - 1);
    }
  }
  for (const int32_t type : batch.types) {
    if (type < 0 || type >= config.types)
      throw Error("token type is ", type, ", expected 0 to ", config.types - 1);
  }
  for (int64_t i = 0; i < batch.sequences(); ++i) {
    const int64_t length = batch.length(i);
    if (length < 1 || length > config.positions) {
      throw Error("the sequence has ", length, " tokens, the model reads 1 to ", config.positions);
    }
  }
}

std::vector<int64_t> offsets_among(std::span<const int64_t> rows, const nn::Batch& batch) {
  std::vector<int64_t> offsets;
  for (const int64_t begin : batch.offsets) {
    offsets.push_back(std::ranges::lower_bound(rows, begin) - rows.begin());
  }
  return offsets;
}

std::vector<int64_t> pooled_rows(const Config& config, const nn::Batch& batch) {
  std::vector<int64_t> rows;
  for (int64_t i = 0; i < batch.sequences(); ++i)
    rows.push_back(batch.offsets[i] + config.pooled_position(batch.length(i)));
  return rows;
}

int64_t level_of(std::string_view name) {
  constexpr std::string_view kLayer = "encoder.layer.";
  if (name.starts_with("embeddings.")) return 0;
  if (!name.starts_with(kLayer)) return kAboveLayers;
  int64_t layer = 0;
  std::from_chars(name.data() + kLayer.size(), name.data() + name.size(), layer);
  return layer + 1;
}

}  // namespace bert::model
