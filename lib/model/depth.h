// Depth of a parameter in the network, by its name. Fine-tuning uses lower learning rates in lower layers, or
// freezes them.
#pragma once

#include <cstdint>
#include <string_view>

namespace bert::model {

// Level of a tensor: 0 for the embeddings, i + 1 for encoder layer i, kAboveLayers for the pooler and the
// heads. Names are Hugging Face's without "bert.". The decoder shares the word embeddings' matrix, which has
// level 0.
constexpr int64_t kAboveLayers = INT64_MAX;
int64_t level_of(std::string_view name);

// True if the parameter is frozen together with the embeddings and the first `layers` encoder layers.
inline bool is_frozen(std::string_view name, int64_t layers) { return level_of(name) <= layers; }

}  // namespace bert::model
