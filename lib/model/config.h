// What config.json says of a BERT: sizes, arithmetic and labels.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nn/activation.h"

namespace bert::model {

enum class ProblemType { regression, single_label, multi_label };

// What turns a cross-encoder's logits into scores.
enum class ScoreActivation { none, sigmoid };

// Every Config made by load_config is one that can be computed: sizes are positive and within reason, hidden
// is a multiple of heads, positions are absolute, the model is an encoder.
struct Config {
  int64_t vocab_size = 30522;   // V
  int64_t hidden = 768;         // H, a multiple of heads
  int64_t layers = 12;          // L
  int64_t heads = 12;           // A
  int64_t feed_forward = 3072;  // F, width of the inner layer
  int64_t positions = 512;      // P, the longest sequence in tokens
  int64_t types = 2;            // token types (segments)
  nn::Activation activation = nn::Activation::gelu;
  float norm_epsilon = 1e-12f;
  int32_t pad_id = 0;

  // Training only; probabilities in [0, 1).
  float hidden_dropout = 0.1f;
  float attention_dropout = 0.1f;
  float classifier_dropout = 0.1f;  // that of hidden where the file says nothing
  float init_range = 0.02f;         // standard deviation of new weights

  std::vector<std::string> architectures;  // "BertForMaskedLM", …; may be empty
  // By id. Hugging Face writes no labels when they are its default, so a file without any has LABEL_0 and
  // LABEL_1; they mean something only to a model with a classifier.
  std::vector<std::string> labels = {"LABEL_0", "LABEL_1"};
  std::optional<ProblemType> problem_type;
  bool tied_embeddings = true;  // cls.predictions.decoder.weight is the word embeddings

  bool cross_encoder = false;  // a cross-encoder's settings are there
  // Stated by the file; without it sentence-transformers takes sigmoid for one label, else none.
  std::optional<ScoreActivation> score_activation;

  int64_t head_size() const { return hidden / heads; }
  bool has_architecture(std::string_view name) const;
};

// Who wrote a configuration. Where Hugging Face says "gelu" it means erf; Google's code, from which all
// TensorFlow checkpoints come, means the approximation by tanh, and 16 token types where it says nothing.
enum class Dialect { hugging_face, google };

// config.json of a model directory, or, where there is none, Google's bert_config.json.
std::string config_path(const std::string& directory);

// Reads the configuration of a model directory. Error names the file, the key, what was found and what was
// expected; what this program does not compute (other models, decoders, relative positions) is refused by
// name.
Config load_config(const std::string& directory, Dialect dialect = Dialect::hugging_face);

// The same from a text; `path` is what messages call it.
Config parse_config(const std::string& path, std::string_view text);

// "gelu", "gelu_new", "relu", … as config.json writes it, or a PyTorch class by its last component ("Tanh");
// nullopt when there is no such function here.
std::optional<nn::Activation> activation_named(std::string_view name);
constexpr auto kActivationNames = "gelu, gelu_new, gelu_tanh, relu, silu, tanh or linear";  // for messages

// The name that config.json has for it: "gelu_new" for the approximation by tanh.
std::string_view hidden_act(nn::Activation activation);

// A cross-encoder's activation by the last component of its PyTorch class; Error says what was expected.
ScoreActivation score_activation_named(std::string_view name);

}  // namespace bert::model
