#include "model/config_json.h"

#include <functional>
#include <string_view>

#include "json/json.h"
#include "model/disentangled_json.h"
#include "model/quantized.h"
#include "model/rotary_json.h"

namespace bert::model {
namespace {

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

// transformers omits the default labels, also for models without a classifier.
bool has_labels(const Config& config) { return config.labels != Config().labels; }

// With a decimal point: the classes of transformers take no integer for such a number.
void add_float(json::Object& object, std::string_view name, float value) {
  std::string text;
  json::append_number(text, value);
  if (text.find_first_of(".e") == text.npos) text += ".0";
  object.key(name) += text;
}

void append_architectures(std::string& out, const std::vector<std::string>& names) {
  if (names.empty()) {
    out += "[]";
    return;
  }
  const char* separator = "[\n    ";
  for (const auto& name : names) {
    json::append_string(out += separator, name);
    separator = ",\n    ";
  }
  out += "\n  ]";
}

void append_layer_types(std::string& out, const Config& config) {
  std::vector<std::string> types;
  for (const bool near : config.in_window) types.emplace_back(near ? kNearLayer : kFullLayer);
  json::append_strings(out, types);
}

void append_id2label(std::string& out, const Config& config) {
  json::Object object(out, 1);
  for (size_t id = 0; id < config.labels.size(); ++id) object.string(std::to_string(id), config.labels[id]);
  object.end();
}

void append_label2id(std::string& out, const Config& config) {
  json::Object object(out, 1);
  for (size_t id = 0; id < config.labels.size(); ++id) object.integer(config.labels[id], id);
  object.end();
}

void append_texts(std::string& out, const std::vector<std::pair<std::string, std::string>>& texts) {
  json::Object object(out, 1);
  for (const auto& [name, text] : texts) object.string(name, text);
  object.end();
}

void append_cross_encoder(std::string& out, const Config& config) {
  json::Object object(out, 1);
  if (config.score_activation) {
    object.string("activation_fn", *config.score_activation == ScoreActivation::sigmoid
                                       ? "torch.nn.modules.activation.Sigmoid"
                                       : "torch.nn.modules.linear.Identity");
  }
  object.end();
}

}  // namespace

std::string config_json(const Config& config, Dtype weights) {
  std::string text;
  json::Object object(text, 0);
  const auto& type = *config.type;
  const auto& biases = config.biases;
  if (!type.code.empty()) object.string("_name_or_path", type.code);
  append_architectures(object.key("architectures"), config.architectures);
  if (type.transforms_first) object.boolean("attention_bias", biases.attention);
  add_float(object, type.key("attention_probs_dropout_prob"), config.attention_dropout);
  if (!config.auto_map.empty()) append_texts(object.key("auto_map"), config.auto_map);
  if (!config.kept_options.empty()) append_texts(object.key("bert_filters"), config.kept_options);
  if (type.transforms_first) {
    object.string("classifier_activation", hidden_act(config.head_activation.value_or(config.activation)));
    object.boolean("classifier_bias", biases.head);
  }
  const auto classifier_dropout = type.key("classifier_dropout");
  const bool may_be_null = classifier_dropout == "classifier_dropout" && !type.transforms_first;
  if (config.classifier_dropout == config.hidden_dropout && may_be_null) {
    object.null(classifier_dropout);
  } else {
    add_float(object, classifier_dropout, config.classifier_dropout);
  }
  if (type.transforms_first) object.string("classifier_pooling", config.pools_mean ? "mean" : "cls");
  if (config.document_context) object.boolean("document_context", true);
  if (!type.embedding_dropout.empty())
    add_float(object, type.embedding_dropout, config.embedding_dropout.value_or(config.hidden_dropout));
  if (config.embedding > 0) object.integer("embedding_size", config.embedding);
  const auto activation = type.names_gate ? gate_name(config.activation) : hidden_act(config.activation);
  object.string(type.key("hidden_act"), activation);
  if (type.names_gate) object.string("hidden_act", hidden_act(*config.head_activation));
  if (!type.answer_dropout.empty()) add_float(object, type.answer_dropout, config.answer_dropout);
  add_float(object, type.key("hidden_dropout_prob"), config.hidden_dropout);
  object.integer(type.key("hidden_size"), config.hidden);
  if (has_labels(config)) append_id2label(object.key("id2label"), config);
  if (config.init_cutoff) add_float(object, "initializer_cutoff_factor", *config.init_cutoff);
  add_float(object, "initializer_range", config.init_range);
  object.integer(type.key("intermediate_size"), config.feed_forward);
  for (const auto& [key, id] : config.token_ids) object.integer(key, id);
  if (config.causal) object.boolean("is_decoder", true);
  if (has_labels(config)) append_label2id(object.key("label2id"), config);
  add_float(object, type.key("layer_norm_eps"), config.norm_epsilon);
  if (!config.in_window.empty()) {
    append_layer_types(object.key("layer_types"), config);
    object.integer("local_attention", 2 * config.window);
  }
  object.integer("max_position_embeddings", config.first_position + trained_positions(config));
  if (type.transforms_first) {
    object.boolean("mlp_bias", biases.inner);
    object.boolean("norm_bias", biases.norms);
  }
  object.string("model_type", type.model_type());
  object.integer(type.key("num_attention_heads"), config.heads);
  if (config.layer_groups > 0) object.integer("num_hidden_groups", config.layer_groups);
  object.integer(type.key("num_hidden_layers"), config.layers);
  const bool other_biases = type.theta && !type.transforms_first && biases != type.biases;
  if (other_biases) object.boolean("mlp_fc1_bias", biases.inner);
  if (other_biases) object.boolean("mlp_fc2_bias", biases.output);
  object.integer("pad_token_id", config.pad_id);
  if (!type.disentangled) object.string("position_embedding_type", type.position_type);
  if (config.problem_type) object.string("problem_type", name_of(*config.problem_type));
  if (other_biases) object.boolean("qkv_proj_bias", biases.attention);
  if (!config.quantized.empty()) append_quantization(object.key("quantization_config"), config.quantized);
  if (config.bias_rows > 0) object.integer("relative_attention_num_buckets", config.bias_rows);
  if (type.disentangled) write_disentangled(config, object);
  write_rotary(config, object);
  if (config.cross_encoder) append_cross_encoder(object.key("sentence_transformers"), config);
  if (config.pairs) object.boolean("text_pairs", *config.pairs);
  if (!config.tied_embeddings) object.boolean("tie_word_embeddings", false);
  object.string("torch_dtype", torch_name(weights));
  if (type.token_types > 0 || type.disentangled) object.integer("type_vocab_size", config.types);
  object.boolean("use_cache", true);
  if (config.weighted_layers) object.boolean("use_weighted_layer_sum", true);
  object.integer("vocab_size", config.vocab_size);
  object.end();
  return text + "\n";
}

}  // namespace bert::model
