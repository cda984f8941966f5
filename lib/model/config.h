// The BERT configuration read from config.json: sizes, activations, dropout rates and labels.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/model_type.h"
#include "nn/activation.h"
#include "nn/position_table.h"
#include "nn/rotary.h"

namespace bert::model {

enum class ProblemType { regression, single_label, multi_label };
std::string_view name_of(ProblemType type);  // in config.json: "single_label_classification"

// Activation that turns a cross-encoder's logits into scores.
enum class ScoreActivation { none, sigmoid };

// What trains the embeddings that a generator and a discriminator share: both losses (ES, Clark et al. 2020,
// section 3.2); or only the generator's, and the discriminator has these plus a difference that its own loss
// trains (gradient-disentangled sharing, GDES, He et al. 2021, arXiv 2111.09543, section 3.2.2).
enum class EmbeddingSharing { es, gdes };
inline constexpr std::pair<std::string_view, EmbeddingSharing> kEmbeddingSharings[] = {
    {"es", EmbeddingSharing::es}, {"gdes", EmbeddingSharing::gdes}};
std::string_view name_of(EmbeddingSharing sharing);

// load_config only returns configurations that the network can compute: sizes are positive and bounded,
// `hidden` is a multiple of `heads`, positions are absolute and there is no cross-attention.
struct Config {
  const ModelType* type = model_types().data();
  int64_t vocab_size = 30522;   // V
  int64_t hidden = 768;         // H, a multiple of heads
  int64_t layers = 12;          // L
  int64_t heads = 12;           // A
  int64_t feed_forward = 3072;  // F, width of the feed-forward layer
  int64_t positions = 512;      // P, maximum sequence length in tokens
  int64_t first_position = 0;   // row of the position table that the first token of a sequence reads
  int64_t types = 2;            // token types (segments); 0: token types are ignored
  int64_t embedding = 0;        // width of the tables, if not H
  int64_t layer_groups = 0;     // layers of a group share their weights; 0: each layer has its own
  int64_t bias_rows = 0;        // of the table of relative attention bias; 0: no bias
  // Rotary positions of layers: of those that see all tokens, and of those with a window. Empty: a table.
  std::vector<nn::RotaryConfig> rotary;
  // Relative positions (nn/relative_positions.h) that attention compares with; `position_table`: whether
  // there is a table of absolute ones, too.
  std::optional<nn::RelativePositionConfig> relative_positions;
  bool position_table = true;
  // A convolution beside the first layer (nn/convolution.h): the number of tokens it reads, odd; 0: none.
  int64_t convolution = 0;
  nn::Activation convolution_activation = nn::Activation::tanh;
  int64_t window = 0;           // tokens on each side that a token of a layer with a window sees
  std::vector<bool> in_window;  // the layers with a window; empty: none
  Biases biases;
  nn::Activation activation = nn::Activation::gelu;
  std::optional<nn::Activation> head_activation;  // of the masked-language-model head, if it has its own
  float norm_epsilon = 1e-12f;
  int32_t pad_id = 0;
  // The code that transformers loads for a type that shares its model_type with another one, in config.json:
  // {"AutoModel", "jinaai/jina-bert-implementation--modeling_bert.JinaBertModel"}.
  std::vector<std::pair<std::string, std::string>> auto_map;
  // Ids of other special tokens in config.json, which only other programs read: {"cls_token_id", 50281}.
  std::vector<std::pair<std::string, int64_t>> token_ids;
  // Each token attends only to itself and to the tokens before it. In config.json: is_decoder.
  bool causal = false;

  // Used in training only; probabilities in [0, 1).
  float hidden_dropout = 0.1f;
  float attention_dropout = 0.1f;
  float classifier_dropout = 0.1f;         // default: hidden_dropout
  std::optional<float> embedding_dropout;  // if not hidden_dropout, see ModelType
  float answer_dropout = 0;                // of the types that have it, see ModelType
  float pooler_dropout = 0;                // of the pooler's input; only of types with relative positions
  float init_range = 0.02f;                // standard deviation of new weights, see initialize.h
  std::optional<float> init_cutoff;        // of the types that have it, see ModelType

  std::vector<std::string> architectures;  // "BertForMaskedLM", …; may be empty
  // Indexed by id. transformers omits the default labels, so a file without labels has LABEL_0 and LABEL_1.
  // Only meaningful for a model with a classifier.
  std::vector<std::string> labels = {"LABEL_0", "LABEL_1"};
  std::optional<ProblemType> problem_type;
  // The head of a fine-tuned model reads a learned weighted sum of the embeddings' output and all layers
  // (nn/scalar_mix.h). In config.json: use_weighted_layer_sum.
  bool weighted_layers = false;
  bool tied_embeddings = true;  // cls.predictions.decoder.weight equals the word embeddings

  // Heads of sequences read the mean of all tokens, see ModelType::transforms_first. In config.json:
  // classifier_pooling.
  bool pools_mean = false;

  // Whether the training records of a classifier were pairs of texts, or single texts. nullopt: both, or
  // unknown. In config.json: text_pairs, a key of our own.
  std::optional<bool> pairs;

  // Whether a tagger was trained on sentences within their documents. In config.json: document_context, a key
  // of our own.
  bool document_context = false;

  // How the training records were read: names of options and their values, as in {"text-field", "message"},
  // for tools that use the model. In config.json: bert_filters, a key of our own.
  std::vector<std::pair<std::string, std::string>> kept_options;

  // Projection of pooled vectors [in] to [out], a Dense module of sentence-transformers that is trained with
  // the model; 0: none. Not in config.json.
  struct Projection {
    int64_t in = 0, out = 0;
    nn::Activation activation = nn::Activation::none;
    bool bias = true;
  };
  Projection projection;

  // Number of weights in the table of queries (query_table.h) that is trained with the model; 0: none. Not in
  // config.json.
  int64_t query_table = 0;

  // Targets of "quantization_config": matrices that are integers in the file, see quantized.h. None: real
  // numbers.
  std::vector<std::string> quantized;

  // Attention heads of the generator that is trained with a discriminator, see generator_of(); 0:
  // none. Not in config.json.
  int64_t generator_heads = 0;
  EmbeddingSharing embedding_sharing = EmbeddingSharing::es;

  bool cross_encoder = false;  // cross-encoder settings are present
  // If not set, sentence-transformers applies a sigmoid to a single label and nothing to several.
  std::optional<ScoreActivation> score_activation;

  // Position of the token that the pooler reads: [CLS], or the last token if attention is causal, because no
  // other token has seen the whole sequence.
  int64_t pooled_position(int64_t length) const { return causal ? length - 1 : 0; }
  // A text may have no token at all if the model has none to frame it.
  int64_t least_tokens() const { return type->words_only ? 0 : 1; }
  int64_t head_size() const { return hidden / heads; }
  int64_t embedding_width() const { return embedding == 0 ? hidden : embedding; }
  bool is_projected() const { return embedding_width() != hidden || type->always_projected; }
  bool has_window(int64_t layer) const { return !in_window.empty() && in_window[layer]; }
  // The layer, from 0, that names the weights of this one.
  int64_t stored_layer(int64_t layer) const {
    return layer_groups == 0 ? layer : layer * layer_groups / layers;
  }
  bool has_architecture(std::string_view name) const;
};

// Origin of a configuration. In Hugging Face files "gelu" means the exact erf form. In files of Google's
// code, the source of all TensorFlow checkpoints, it means the tanh approximation, and type_vocab_size
// defaults to 16.
enum class Dialect { hugging_face, google };

// Path of config.json in a model directory, or of Google's bert_config.json if there is no config.json.
std::string config_path(const std::string& directory);

// Reads the configuration of a model directory. Errors name the file, the key, the value found and the value
// expected. Unsupported features (other models, cross-attention, relative positions) are rejected by name.
Config load_config(const std::string& directory, Dialect dialect = Dialect::hugging_face);

// Parses `text`; `path` is used in error messages only.
Config parse_config(const std::string& path, std::string_view text);

// Accepts the names of config.json ("gelu", "gelu_new", "relu", …) and the last component of a PyTorch class
// name ("Tanh"). Returns nullopt for unknown names.
std::optional<nn::Activation> activation_named(std::string_view name);
constexpr auto kActivationNames = "gelu, gelu_new, gelu_tanh, relu, silu, tanh or linear";  // for messages

// Name used in config.json, for example "gelu_new" for the tanh approximation.
std::string_view hidden_act(nn::Activation activation);
// That of a gate with this activation: "geglu"; "" if it has none.
std::string_view gate_name(nn::Activation activation);

// Cross-encoder activation, by the last component of its PyTorch class name. Errors state what was expected.
ScoreActivation score_activation_named(std::string_view name);

// BERT sizes: base and large from Devlin et al. 2018, the others from Turc et al. 2019, "Well-Read Students
// Learn Better".
struct Preset {
  std::string_view name;
  int64_t layers, hidden;

  bool operator==(const Preset&) const = default;
};
inline constexpr Preset kPresets[] = {{"tiny", 2, 128},   {"mini", 4, 256},  {"small", 4, 512},
                                      {"medium", 8, 512}, {"base", 12, 768}, {"large", 24, 1024}};

Config config_of(const Preset& preset, int64_t vocab_size);

// The generator of a discriminator (Clark et al. 2020, section 3.2): as deep, but as narrow as its number of
// heads says. It shares the tables of the embeddings, and their width.
Config generator_of(const Config& discriminator);

// Where a discriminator and its generator are together, the names of the generator's tensors begin with
// kGeneratorPrefix, except those that are one tensor for both.
std::string name_in_generator(std::string name, const Config& discriminator);
bool is_in_generator(std::string_view tensor, const Config& discriminator);  // its own, or one for both

// A table of `vocab_size` vectors [hidden], for words alone.
Config static_config(int64_t vocab_size, int64_t hidden);

}  // namespace bert::model
