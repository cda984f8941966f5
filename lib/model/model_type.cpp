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

constexpr Key kNomicOtherKeys[] = {{"hidden_size", "n_embd"},
                                   {"num_hidden_layers", "n_layer"},
                                   {"num_attention_heads", "n_head"},
                                   {"intermediate_size", "n_inner"},
                                   {"max_position_embeddings", "n_positions"},
                                   {"hidden_act", "activation_function"},
                                   {"layer_norm_eps", "layer_norm_epsilon"},
                                   {"hidden_dropout_prob", "resid_pdrop"},
                                   {"attention_probs_dropout_prob", "attn_pdrop"},
                                   {"rope_theta", "rotary_emb_base"}};
constexpr Key kNomicOnly[] = {{"prenorm", "false"},
                              {"use_rms_norm", "false"},
                              {"parallel_block", "false"},
                              {"causal", "false"},
                              {"rotary_emb_interleaved", "false"},
                              {"scale_attn_by_inverse_layer_idx", "false"},
                              {"scale_attn_weights", "true"},
                              {"moe_every_n_layers", "0"}};
constexpr Key kGteOnly[] = {
    {"layer_norm_type", "layer_norm"}, {"logn_attention_scale", "false"}, {"logn_attention_clip1", "false"}};
constexpr Key kModernKeys[] = {{"hidden_act", "hidden_activation"},
                               {"layer_norm_eps", "norm_eps"},
                               {"hidden_dropout_prob", "mlp_dropout"},
                               {"attention_probs_dropout_prob", "attention_dropout"}};
constexpr Key kModernOnly[] = {{"decoder_bias", "true"}};

// Of Jina's own code, in which the activation of the gate is that of feed_forward_type.
constexpr Key kJinaKeys[] = {{"hidden_act", "feed_forward_type"}};
constexpr Key kJinaOnly[] = {{"hidden_act", "gelu"}};

constexpr Key kDebertaKeys[] = {{"classifier_dropout", "cls_dropout"}};
constexpr Key kDebertaOnly[] = {{"pooler_hidden_act", "gelu"}};

// "new" is the type in files for its own code, "gte" that of transformers.
constexpr ModelType gte(std::string_view name, std::string_view classes) {
  return {.name = name,
          .classes = classes,
          .token_types = 1,
          .pad_id = 1,
          .theta = 160'000,
          .writes_rope_scaling = name == "new",
          .position_type = "rope",
          .gated = true,
          .biases = {.inner = false},
          .positions = 8192,
          .drops_inner = true,
          .masked_lm_activation = gelu,
          .only = kGteOnly};
}

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

// `code`: that of which a model has another layer than the first one.
constexpr ModelType jina(std::string_view name, std::string_view code) {
  return {.name = name,
          .written = "bert",
          .code = code,
          .classes = "JinaBert",
          .linear_bias = true,
          .position_type = "alibi",
          .gated = true,
          .names_gate = true,
          .norms_queries = !code.empty(),
          .biases = {.inner = false},
          .drops_inner = true,
          .drops_feed_forward = false,
          .masked_lm_activation = gelu,
          .keys = kJinaKeys,
          .only = kJinaOnly};
}

constexpr ModelType kTypes[] = {
    {.name = "bert", .classes = "Bert", .pretraining = Pretraining::next_sentence, .causal = "LMHeadModel"},
    jina("jina_bert", ""),
    jina("jina_bert_code", "jinaai/jina-bert-v2-qk-post-norm"),
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
     .embedding_size = 128,
     .pretraining = Pretraining::replaced,
     .causal = kForCausal,
     .drops_head_input = true,
     .pooler_activation = gelu,
     .masked_lm_activation = gelu},
    {.name = "albert",
     .classes = "Albert",
     .embedding_size = 128,
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
    {.name = "deberta-v2",
     .classes = "DebertaV2",
     .token_types = 0,
     .embedding_size = 0,
     .norms_projected = true,
     .disentangled = true,
     .pretraining = Pretraining::replaced,
     .replaced_in_context = true,
     .tags_as_hidden = true,
     .pooler_activation = gelu,
     .norm_epsilon = 1e-7,
     .keys = kDebertaKeys,
     .only = kDebertaOnly},
    {.name = "nomic_bert",
     .classes = "NomicBert",
     .theta = 1000,
     .gated = true,
     .biases = {.attention = false, .attention_output = false, .inner = false, .output = false},
     .positions = 2048,
     .dropout = 0,
     .activation = silu,
     .other_keys = kNomicOtherKeys,
     .only = kNomicOnly},
    gte("gte", "Gte"),
    gte("new", "New"),
    {.name = "modernbert",
     .classes = "ModernBert",
     .token_types = 0,
     .theta = 160'000,
     .window_theta = 10'000,
     .gated = true,
     .norms_first = true,
     .biases = {.attention = false,
                .attention_output = false,
                .inner = false,
                .output = false,
                .norms = false,
                .head = false},
     .positions = 8192,
     .embedding_dropout = "embedding_dropout",
     .drops_inner = true,
     .transforms_first = true,
     .init_cutoff = 2,
     .dropout = 0,
     .norm_epsilon = 1e-5,
     .keys = kModernKeys,
     .only = kModernOnly},
};

constexpr ModelType kStatic = {
    .name = "static", .classes = "Static", .token_types = 0, .words_only = true, .dropout = 0};

constexpr std::string_view kEmbeddings = "embeddings.", kProjectionLayer = "embeddings.projection.",
                           kEmbeddingNorm = "embeddings.LayerNorm.", kLayers = "encoder.layer.",
                           kConvolution = "encoder.conv.", kPositionNorm = "encoder.LayerNorm.";

}  // namespace

std::span<const ModelType> model_types() { return kTypes; }

const ModelType& static_type() { return kStatic; }

std::string_view ModelType::key(std::string_view ours) const {
  const auto found = std::ranges::find(keys, ours, &Key::first);
  return found == keys.end() ? ours : found->second;
}

std::string_view ModelType::other_key(std::string_view ours) const {
  const auto found = std::ranges::find(other_keys, ours, &Key::first);
  return found == other_keys.end() ? "" : found->second;
}

const ModelType* find_model_type(std::string_view name) {
  const auto* found = std::ranges::find(kTypes, name, &ModelType::name);
  return found == std::end(kTypes) ? nullptr : found;
}

const ModelType* find_model_type(std::string_view model_type, std::string_view position_type,
                                 std::string_view code) {
  const ModelType *first = nullptr, *placed = nullptr;
  for (const auto& type : kTypes) {
    if (type.model_type() != model_type) continue;
    if (first == nullptr) first = &type;
    if (type.position_type != position_type) continue;
    if (!type.code.empty() && code.find(type.code) != code.npos) return &type;
    if (placed == nullptr) placed = &type;
  }
  return placed != nullptr ? placed : first;
}

bool is_shared(std::string_view tensor, const ModelType& type) {
  const bool own =
      tensor.starts_with(kProjectionLayer) || (type.norms_projected && tensor.starts_with(kEmbeddingNorm));
  return tensor.starts_with(kEmbeddings) && !own;
}

std::string layer_name(int64_t layer) { return std::string(kLayers) + std::to_string(layer); }

bool is_of_encoder(std::string_view tensor) {
  return tensor.starts_with(kEmbeddings) || tensor.starts_with("encoder.");
}

int64_t level_of(std::string_view tensor) {
  if (is_of_generator(tensor)) return kAboveLayers;
  if (tensor.starts_with(kEmbeddings) || tensor == kBiasTable) return 0;
  if (tensor == kPositionTable || tensor.starts_with(kPositionNorm)) return 0;
  if (tensor.starts_with(kConvolution)) return 1;  // beside the first layer
  if (!tensor.starts_with(kLayers)) return kAboveLayers;
  int64_t layer = 0;
  std::from_chars(tensor.data() + kLayers.size(), tensor.data() + tensor.size(), layer);
  return layer + 1;
}

}  // namespace bert::model
