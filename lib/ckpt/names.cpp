#include "ckpt/names.h"

#include <utility>

#include "io/json.h"

namespace bert::ckpt {
namespace {

void drop_prefix(std::string_view& name, std::string_view prefix) {
  if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
}

// Whether the last components of `name` are `tail`: "x.LayerNorm.gamma" but not "x.MyLayerNorm.gamma".
bool ends_with_components(std::string_view name, std::string_view tail) {
  if (!name.ends_with(tail)) return false;
  return name.size() == tail.size() || name[name.size() - tail.size() - 1] == '.';
}

}  // namespace

std::string canonical_name(std::string_view stored) {
  drop_prefix(stored, "module.");  // torch.nn.DataParallel
  drop_prefix(stored, "bert.");    // of every model with a head
  if (stored == "cls.predictions.decoder.bias") return "cls.predictions.bias";
  // pytorch-pretrained-bert kept TensorFlow's names. Only the last component, and only of a LayerNorm: a
  // tensor of another layer may well be called gamma.
  for (const auto& [old_tail, tail] : {std::pair{"LayerNorm.gamma", "weight"}, {"LayerNorm.beta", "bias"}}) {
    if (!ends_with_components(stored, old_tail)) continue;
    return std::string(stored.substr(0, stored.rfind('.') + 1)) + tail;
  }
  return std::string(stored);
}

bool is_buffer(std::string_view canonical) {
  return canonical == "embeddings.position_ids" || canonical == "embeddings.token_type_ids";
}

std::string in_quotes(std::string_view name) {
  std::string text;
  io::append_string(text, name);
  return text;
}

}  // namespace bert::ckpt
