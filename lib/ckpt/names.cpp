#include "ckpt/names.h"

#include <algorithm>
#include <array>
#include <utility>

#include "ckpt/naming.h"

namespace bert::ckpt {
namespace {

void drop_prefix(std::string_view& name, std::string_view prefix) {
  if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
}

// Whether `name` ends with the components `tail`: true for "x.LayerNorm.gamma", false for
// "x.MyLayerNorm.gamma".
bool ends_with_components(std::string_view name, std::string_view tail) {
  if (!name.ends_with(tail)) return false;
  return name.size() == tail.size() || name[name.size() - tail.size() - 1] == '.';
}

// Adam and LAMB moments, step counters, loss scale.
bool is_of_training(std::string_view variable) {
  constexpr std::array<std::string_view, 8> kSlots = {"adam_m", "adam_v", "Adam", "Adam_1",
                                                      "lamb_m", "lamb_v", "m",    "v"};
  constexpr std::array<std::string_view, 5> kAlone = {"global_step", "beta1_power", "beta2_power",
                                                      "loss_scale", "good_steps"};
  const size_t slash = variable.rfind('/');
  const bool slot =
      slash != variable.npos && std::ranges::find(kSlots, variable.substr(slash + 1)) != kSlots.end();
  return slot || std::ranges::find(kAlone, variable) != kAlone.end() ||
         variable.starts_with("AdamWeightDecayOptimizer");
}

// Exceptions to the naming rule.
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kHeads = {{
    {"cls/predictions/output_bias", "cls.predictions.bias"},
    {"cls/seq_relationship/output_weights", "cls.seq_relationship.weight"},
    {"cls/seq_relationship/output_bias", "cls.seq_relationship.bias"},
    {"cls/squad/output_weights", "qa_outputs.weight"},
    {"cls/squad/output_bias", "qa_outputs.bias"},
    {"output_weights", "classifier.weight"},
    {"output_bias", "classifier.bias"},
}};

}  // namespace

std::string canonical_name(std::string_view stored) {
  drop_prefix(stored, "module.");                                           // torch.nn.DataParallel
  for (const auto& naming : namings()) drop_prefix(stored, naming.prefix);  // in all models with a head
  const auto name = renamed(stored);
  stored = name;
  if (stored == "cls.predictions.decoder.bias") return "cls.predictions.bias";
  if (stored == "embeddings") return std::string(kWordEmbeddings);  // a static model of model2vec
  // pytorch-pretrained-bert kept TensorFlow's names. Renames only the last component, and only in LayerNorm:
  // other layers may have a tensor called gamma.
  for (const auto& [old_tail, tail] : {std::pair{"LayerNorm.gamma", "weight"}, {"LayerNorm.beta", "bias"}}) {
    if (!ends_with_components(stored, old_tail)) continue;
    return std::string(stored.substr(0, stored.rfind('.') + 1)) + tail;
  }
  return std::string(stored);
}

std::string without_wrappers(std::string stored) {
  for (const std::string_view inserted :
       {"_orig_mod.", "_fsdp_wrapped_module.", "_checkpoint_wrapped_module."}) {
    for (size_t place = 0; (place = stored.find(inserted, place)) != stored.npos;) {
      const bool whole = place == 0 || stored[place - 1] == '.';
      if (whole) {
        stored.erase(place, inserted.size());
      } else {
        ++place;
      }
    }
  }
  return stored;
}

std::string wrapper_prefix(std::span<const std::string_view> stored) {
  std::string_view prefix;
  for (const auto name : stored) {
    if (!ends_with_components(name, kWordEmbeddings)) continue;
    if (!prefix.empty() || canonical_name(name) == kWordEmbeddings) return "";
    prefix = name.substr(0, name.size() - kWordEmbeddings.size());
  }
  for (const auto& naming : namings()) {
    if (ends_with_components(prefix, naming.prefix)) {
      prefix.remove_suffix(naming.prefix.size());
      break;
    }
  }
  return std::string(prefix);
}

bool is_buffer(std::string_view canonical) {
  return canonical == "embeddings.position_ids" || canonical == "embeddings.token_type_ids";
}

std::optional<TensorflowName> tensorflow_name(std::string_view variable) {
  if (is_of_training(variable)) return std::nullopt;
  for (const auto& [google, name] : kHeads) {
    if (variable == google) return TensorflowName{std::string(name)};
  }
  if (!variable.starts_with("bert/") && !variable.starts_with("cls/predictions/"))
    return TensorflowName{std::string(variable)};
  std::string name;
  bool transposed = false;
  for (size_t begin = 0; begin <= variable.size();) {
    const size_t end = std::min(variable.find('/', begin), variable.size());
    const auto component = variable.substr(begin, end - begin);
    const bool last = end == variable.size();
    if (!name.empty()) name += '.';
    if (component.starts_with("layer_")) {
      name.append("layer.").append(component.substr(6));
    } else if (last && component == "kernel") {
      name += "weight";
      transposed = true;
    } else {
      name += component;
      if (last && component.ends_with("_embeddings")) name += ".weight";
    }
    begin = end + 1;
  }
  return TensorflowName{canonical_name(name), transposed};
}

}  // namespace bert::ckpt
