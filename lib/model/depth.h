// How deep in the network a parameter stands, by its name. Fine-tuning changes what lies deep less, or not at
// all.
#pragma once

#include <cstdint>
#include <string_view>

namespace bert::model {

// The level of a tensor: 0 for the embeddings, i + 1 for encoder layer i, and above all layers kAboveLayers
// for the pooler and the heads. Names are Hugging Face's without "bert.". The decoder's matrix is that of the
// words, so it lies among the embeddings.
constexpr int64_t kAboveLayers = INT64_MAX;
int64_t level_of(std::string_view name);

// Whether it does not learn when the embeddings and the first `layers` layers do not.
inline bool is_frozen(std::string_view name, int64_t layers) { return level_of(name) <= layers; }

}  // namespace bert::model
