#include "model/model_type.h"

#include <algorithm>
#include <charconv>

namespace bert::model {
namespace {

using enum nn::Activation;
using Key = std::pair<std::string_view, std::string_view>;

constexpr Key kDistilbertKeys[] = {{"hidden_size", "dim"},
                                   {"num_hidden_layers", "n_layers"},
                                   {"num_attention_heads", "n_heads"},
                                   {"intermediate_size", "hidden_dim"},
                                   {"hidden_act", "activation"},
                                   {"hidden_dropout_prob", "dropout"},
                                   {"attention_probs_dropout_prob", "attention_dropout"},
                                   {"classifier_dropout", "seq_classif_dropout"}};
constexpr Key kAlbertKeys[] = {{"classifier_dropout", "classifier_dropout_prob"}};

constexpr std::string_view kForCausal = "ForCausalLM";

constexpr ModelType roberta(std::string_view name, std::string_view classes) {
  return {.name = name,
          .classes = classes,
          .positions_after_padding = true,
          .pad_id = 1,
          .causal = kForCausal,
          .drops_head_input = true,
          .masked_lm_activation = gelu};
}

constexpr ModelType kTypes[] = {
    {.name = "bert", .classes = "Bert", .pretraining = Pretraining::next_sentence, .causal = "LMHeadModel"},
    roberta("roberta", "Roberta"),
    roberta("xlm-roberta", "XLMRoberta"),
    roberta("camembert", "Camembert"),
    {.name = "distilbert",
     .classes = "DistilBert",
     .token_types = 0,
     .tags_as_hidden = true,
     .answer_dropout = "qa_dropout",
     .pooler_activation = relu,
     .keys = kDistilbertKeys},
    {.name = "electra",
     .classes = "Electra",
     .embedding_size = true,
     .pretraining = Pretraining::replaced,
     .causal = kForCausal,
     .drops_head_input = true,
     .pooler_activation = gelu,
     .masked_lm_activation = gelu},
    {.name = "albert",
     .classes = "Albert",
     .embedding_size = true,
     .always_projected = true,
     .shares_layers = true,
     .dropout = 0,
     .activation = gelu_tanh,
     .keys = kAlbertKeys},
    {.name = "mpnet",
     .classes = "MPNet",
     .positions_after_padding = true,
     .position_padding = 1,
     .token_types = 0,
     .pad_id = 1,
     .relative_bias = true,
     .drops_head_input = true,
     .masked_lm_activation = gelu},
};

constexpr ModelType kStatic = {
    .name = "static", .classes = "Static", .token_types = 0, .words_only = true, .dropout = 0};

constexpr std::string_view kEmbeddings = "embeddings.", kProjectionLayer = "embeddings.projection.",
                           kLayers = "encoder.layer.";

}  // namespace

std::span<const ModelType> model_types() { return kTypes; }

const ModelType& static_type() { return kStatic; }

std::string_view ModelType::key(std::string_view ours) const {
  const auto found = std::ranges::find(keys, ours, &Key::first);
  return found == keys.end() ? ours : found->second;
}

const ModelType* find_model_type(std::string_view name) {
  const auto* found = std::ranges::find(kTypes, name, &ModelType::name);
  return found == std::end(kTypes) ? nullptr : found;
}

std::string name_in_generator(std::string name) {
  return is_in_generator(name) ? std::move(name) : std::string(kGeneratorPrefix) + name;
}

bool is_in_generator(std::string_view tensor) {
  const bool shared = tensor.starts_with(kEmbeddings) && !tensor.starts_with(kProjectionLayer);
  return shared || is_of_generator(tensor);
}

std::string layer_name(int64_t layer) { return std::string(kLayers) + std::to_string(layer); }

bool is_of_encoder(std::string_view tensor) {
  return tensor.starts_with(kEmbeddings) || tensor.starts_with("encoder.");
}

int64_t level_of(std::string_view tensor) {
  if (is_of_generator(tensor)) return kAboveLayers;
  if (tensor.starts_with(kEmbeddings) || tensor == kBiasTable) return 0;
  if (!tensor.starts_with(kLayers)) return kAboveLayers;
  int64_t layer = 0;
  std::from_chars(tensor.data() + kLayers.size(), tensor.data() + tensor.size(), layer);
  return layer + 1;
}

}  // namespace bert::model
