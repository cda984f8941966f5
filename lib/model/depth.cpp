#include "model/depth.h"

#include <charconv>

namespace bert::model {

int64_t level_of(std::string_view name) {
  constexpr std::string_view kLayer = "encoder.layer.";
  if (name.starts_with("embeddings.")) return 0;
  if (!name.starts_with(kLayer)) return kAboveLayers;
  int64_t layer = 0;
  std::from_chars(name.data() + kLayer.size(), name.data() + name.size(), layer);
  return layer + 1;
}

}  // namespace bert::model
