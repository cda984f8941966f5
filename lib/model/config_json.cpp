#include "model/config_json.h"

#include <functional>
#include <string_view>

#include "json/json.h"

namespace bert::model {
namespace {

std::string_view hugging_face_name(ProblemType type) {
  switch (type) {
    case ProblemType::regression:
      return "regression";
    case ProblemType::single_label:
      return "single_label_classification";
    case ProblemType::multi_label:
      return "multi_label_classification";
  }
  return "";
}

std::string_view torch_name(Dtype weights) {
  switch (weights) {
    case Dtype::f64:
      return "float64";
    case Dtype::f16:
      return "float16";
    case Dtype::bf16:
      return "bfloat16";
    default:
      return "float32";
  }
}

// JSON object with one member on each line.
class Object {
 public:
  explicit Object(std::string indent) : indent_(std::move(indent)) {}

  std::string& key(std::string_view name) {
    text_ += (text_.empty() ? "{\n" : ",\n") + indent_ + "  ";
    json::append_string(text_, name);
    return text_ += ": ";
  }
  void string(std::string_view name, std::string_view value) { json::append_string(key(name), value); }
  void integer(std::string_view name, int64_t value) { json::append_integer(key(name), value); }
  void number(std::string_view name, float value) { json::append_number(key(name), value); }
  void word(std::string_view name, std::string_view value) { key(name) += value; }
  std::string end() { return text_.empty() ? "{}" : text_ + "\n" + indent_ + "}"; }

 private:
  std::string indent_, text_;
};

std::string strings(const std::vector<std::string>& values) {
  std::string text;
  for (const auto& value : values) {
    text += text.empty() ? "[\n    " : ",\n    ";
    json::append_string(text, value);
  }
  return text.empty() ? "[]" : text + "\n  ]";
}

// transformers omits the default labels, also for models without a classifier.
bool has_labels(const Config& config) { return config.labels != Config().labels; }

std::string id2label(const Config& config) {
  Object object("  ");
  for (size_t id = 0; id < config.labels.size(); ++id) object.string(std::to_string(id), config.labels[id]);
  return object.end();
}

std::string label2id(const Config& config) {
  Object object("  ");
  for (size_t id = 0; id < config.labels.size(); ++id)
    object.integer(config.labels[id], static_cast<int64_t>(id));
  return object.end();
}

std::string cross_encoder(const Config& config) {
  Object object("  ");
  if (config.score_activation) {
    object.string("activation_fn", *config.score_activation == ScoreActivation::sigmoid
                                       ? "torch.nn.modules.activation.Sigmoid"
                                       : "torch.nn.modules.linear.Identity");
  }
  return object.end();
}

}  // namespace

std::string config_json(const Config& config, Dtype weights) {
  Object object("");
  object.word("architectures", strings(config.architectures));
  object.number("attention_probs_dropout_prob", config.attention_dropout);
  if (config.classifier_dropout == config.hidden_dropout) {
    object.word("classifier_dropout", "null");
  } else {
    object.number("classifier_dropout", config.classifier_dropout);
  }
  object.string("hidden_act", hidden_act(config.activation));
  object.number("hidden_dropout_prob", config.hidden_dropout);
  object.integer("hidden_size", config.hidden);
  if (has_labels(config)) object.word("id2label", id2label(config));
  object.number("initializer_range", config.init_range);
  object.integer("intermediate_size", config.feed_forward);
  if (has_labels(config)) object.word("label2id", label2id(config));
  object.number("layer_norm_eps", config.norm_epsilon);
  object.integer("max_position_embeddings", config.positions);
  object.string("model_type", "bert");
  object.integer("num_attention_heads", config.heads);
  object.integer("num_hidden_layers", config.layers);
  object.integer("pad_token_id", config.pad_id);
  object.string("position_embedding_type", "absolute");
  if (config.problem_type) object.string("problem_type", hugging_face_name(*config.problem_type));
  if (config.cross_encoder) object.word("sentence_transformers", cross_encoder(config));
  if (!config.tied_embeddings) object.word("tie_word_embeddings", "false");
  object.string("torch_dtype", torch_name(weights));
  object.integer("type_vocab_size", config.types);
  object.word("use_cache", "true");
  object.integer("vocab_size", config.vocab_size);
  return object.end() + "\n";
}

}  // namespace bert::model
