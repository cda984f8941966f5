// The types of models that can be read, in one table: how each differs from BERT, whose names all tensors
// have here (ckpt/names.h).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "nn/activation.h"

namespace bert::model {

// The heads that a type's ForPreTraining has, if they can be computed: for words and for the next sentence,
// or for replaced tokens.
enum class Pretraining { none, next_sentence, replaced };

// Which layers have a bias; config.json may say otherwise.
struct Biases {
  bool attention = true, attention_output = true, inner = true, output = true, norms = true;
  bool head = true;  // the layer before the words of masked-language-model heads

  bool operator==(const Biases&) const = default;
};

struct ModelType {
  std::string_view name;          // model_type in config.json, unless that is `written`
  std::string_view written = {};  // then position_type tells the types apart, and `code`
  // The name of its code, which config.json has in _name_or_path or auto_map.
  std::string_view code = {};
  std::string_view classes;              // begins Hugging Face's names of its models, such as BertForMaskedLM
  bool positions_after_padding = false;  // that of the first token is that of padding + 1, not 0
  std::optional<int64_t> position_padding = {};  // of padding, if it is not pad_token_id
  int64_t token_types = 2;  // rows of the token-type table if config.json does not say it; 0: never a table
  int64_t pad_id = 0;       // if config.json does not say it
  // Of its own, Config::embedding; this if config.json does not say it, 0: that of the encoder.
  std::optional<int64_t> embedding_size = {};
  bool always_projected = false;  // even if both sizes are equal
  bool norms_projected = false;   // embeddings are normalized after their projection, which has no bias
  bool shares_layers = false;     // Config::layer_groups
  bool relative_bias = false;     // of attention, one table for all layers
  bool linear_bias = false;       // likewise, ALiBi (nn/relative_bias.h) instead of positions
  bool disentangled = false;      // attention: Config::relative_positions and Config::convolution
  // Rotary positions (nn/rotary.h) instead of a table, with this θ if config.json does not say it.
  std::optional<double> theta = {};
  // Layers whose tokens see only those near them, with this θ.
  std::optional<double> window_theta = {};
  bool writes_rope_scaling = false;  // rope_theta and rope_scaling in config.json, not rope_parameters
  std::string_view position_type = "absolute";  // position_embedding_type in config.json
  bool gated = false;                           // the feed-forward part, see nn/feed_forward.h
  bool names_gate = false;                      // config.json has "geglu" for a gate with "gelu"
  bool norms_queries = false;  // and keys, all heads together; and sums after attention twice
  bool norms_first = false;    // layer normalization before the branches of a layer, and after the last layer
  Biases biases = {};
  int64_t positions = 512;  // if config.json does not say it
  Pretraining pretraining = Pretraining::none;
  bool replaced_in_context = false;  // that head reads norm(h + h of the first token), see nn/first_rows.h
  // The class of its causal language models, after `classes`; "": it has none, and is_decoder means nothing.
  std::string_view causal = {};
  // In training, a classifier of texts has dropout before both of its layers; one of tokens has that of the
  // encoder; the head for answers has one by this key ("": none).
  bool drops_head_input = false, tags_as_hidden = false;
  std::string_view answer_dropout = {};
  std::string_view embedding_dropout = {};  // key of that of the embeddings ("": that of the encoder)
  bool drops_inner = false;                 // dropout within the feed-forward part
  bool drops_feed_forward = true;           // and after it
  // Fine-tuned heads read the masked-language-model head's transformed hidden states, not the pooler.
  bool transforms_first = false;
  // The network is a table of words: no positions, no layers, no tokens to frame a text.
  bool words_only = false;
  // New weights are cut at this many standard deviations if config.json does not say it, and differ by the
  // kind of layer, see initialize.h.
  std::optional<double> init_cutoff = {};
  double dropout = 0.1;                              // if config.json does not say it
  nn::Activation activation = nn::Activation::gelu;  // likewise
  nn::Activation pooler_activation = nn::Activation::tanh;
  std::optional<nn::Activation> masked_lm_activation = {};  // default: that of the encoder
  double norm_epsilon = 1e-12;                              // likewise
  // Names in config.json that differ from BERT's: {"hidden_size", "dim"}; and names that are only read, if
  // the others are missing.
  std::span<const std::pair<std::string_view, std::string_view>> keys = {}, other_keys = {};
  // Settings that must have this value, as text, if they are there: {"prenorm", "false"}.
  std::span<const std::pair<std::string_view, std::string_view>> only = {};

  std::string_view model_type() const { return written.empty() ? name : written; }  // in config.json
  std::string_view key(std::string_view ours) const;
  std::string_view other_key(std::string_view ours) const;  // "" if there is none
  // Tokens with this id do not count in positions: they read this row of the position table, and the first
  // token of a sequence reads the next one. -1: there are none.
  int64_t unplaced_id(int64_t pad) const {
    return positions_after_padding ? position_padding.value_or(pad) : -1;
  }
  int64_t first_position(int64_t pad) const { return unplaced_id(pad) + 1; }
};

// The first is the type of a config.json without model_type.
std::span<const ModelType> model_types();
const ModelType* find_model_type(std::string_view name);  // nullptr if it cannot be read
// By model_type, position_embedding_type and the names of code of config.json; if no type has all, the first
// with most of them, in this order.
const ModelType* find_model_type(std::string_view model_type, std::string_view position_type,
                                 std::string_view code);
// The type of a StaticEmbedding of sentence-transformers, which has no config.json.
const ModelType& static_type();

constexpr const char* kWordTable = "embeddings.word_embeddings.weight";
constexpr const char* kPositionTable = "encoder.rel_embeddings.weight";
constexpr const char* kBiasTable = "encoder.relative_attention_bias.weight";
constexpr const char* kPoolerLayer = "pooler.dense";
// The folder of a generator beside its discriminator, and how the names of its tensors begin where both are
// together.
constexpr std::string_view kGenerator = "generator", kGeneratorPrefix = "generator.";
inline bool is_of_generator(std::string_view tensor) { return tensor.starts_with(kGeneratorPrefix); }
// What both share: the embeddings without their projection, and without their normalization if it follows
// the projection.
bool is_shared(std::string_view tensor, const ModelType& type);
std::string layer_name(int64_t layer);  // from 0: "encoder.layer.0"

// Level of a tensor in the network, by its name: fine-tuning uses lower learning rates in lower layers, or
// freezes them. 0 for the embeddings and what all layers share, i + 1 for encoder layer i, kAboveLayers for
// the pooler, the heads and a generator. The decoder shares the word embeddings' matrix, which has level 0.
constexpr int64_t kAboveLayers = INT64_MAX;
int64_t level_of(std::string_view tensor);

bool is_of_encoder(std::string_view tensor);  // without the pooler
inline bool is_of_pooler(std::string_view tensor) { return tensor.starts_with("pooler."); }
// True if the parameter is frozen together with the embeddings and the first `layers` encoder layers.
inline bool is_frozen(std::string_view tensor, int64_t layers) { return level_of(tensor) <= layers; }

}  // namespace bert::model
