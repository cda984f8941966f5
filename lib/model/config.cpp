#include "model/config.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <utility>

#include "base/error.h"
#include "base/file.h"
#include "json/json.h"
#include "model/config_numbers.h"
#include "model/disentangled_json.h"
#include "model/quantized.h"
#include "model/rotary_json.h"
#include "nn/relative_bias.h"

namespace bert::model {

using json::in_quotes;

namespace {

// Limits far above any BERT and small enough that a product of two cannot overflow.
constexpr int64_t kMaxVocab = 1 << 24;
constexpr int64_t kMaxWidth = 1 << 17;
constexpr int64_t kMaxLayers = 1000;
constexpr int64_t kMaxPositions = 1 << 20;
constexpr int64_t kMaxTypes = 1 << 16;
constexpr int64_t kMaxLabels = 1 << 20;

constexpr std::pair<std::string_view, nn::Activation> kGates[] = {
    {"swiglu", nn::Activation::silu}, {"geglu", nn::Activation::gelu}, {"reglu", nn::Activation::relu}};

// The name in the file of a setting that BERT calls `ours`.
std::string_view key_in(const json::File& file, const ModelType& type, std::string_view ours) {
  const auto key = type.key(ours), other = type.other_key(ours);
  return !other.empty() && !file.find(key) && file.find(other) ? other : key;
}

std::string text_of(const json::Value& value) {
  using enum json::Value::Kind;
  if (value.kind() == boolean) return value.boolean() ? "true" : "false";
  if (value.kind() == string) return std::string(value.string());
  return value.kind() == number && value.number() == 0 ? "0" : std::string(value.kind_name());
}

// Rejects unsupported features by name.
void refuse_others(const json::File& file, const ModelType& type) {
  for (const auto& [key, only] : type.only)
    if (const auto value = file.find(key); value && text_of(*value) != only)
      throw Error(file.path(), ": ", key, " is ", text_of(*value), ", expected ", only);

  if (file.boolean("add_cross_attention", false))
    throw Error(file.path(), ": add_cross_attention is true, but only self-attention can be computed");
  // The last three are of ELECTRA's head for multiple choice.
  const std::pair<std::string_view, std::string_view> kOnly[] = {
      {"position_embedding_type", type.position_type},
      {"summary_type", "first"},
      {"summary_activation", "gelu"}};
  for (const auto& [key, only] : kOnly)
    if (const auto value = file.string(key, std::string(only)); value != only)
      throw Error(file.path(), ": ", key, " is ", value, ", expected ", only);
  if (!file.boolean("summary_use_proj", true))
    throw Error(file.path(), ": summary_use_proj is false, expected true");
  const auto pruned = file.find("pruned_heads");
  if (pruned && !pruned->members().empty()) {
    throw Error(file.path(), ": pruned_heads is not empty, but only whole layers can be computed");
  }
}

// The names of the code that computes the model.
std::string code_of(const json::File& file) {
  std::string names;
  const auto add = [&names](const json::Value& value) {
    if (value.kind() == json::Value::Kind::string) names += std::string(value.string()) + ' ';
  };
  if (const auto path = file.find("_name_or_path")) add(*path);
  if (const auto map = file.find("auto_map"); map && map->kind() == json::Value::Kind::object)
    for (const auto& [part, name] : map->members()) add(name);
  return names;
}

// Google's own files do not name the type.
const ModelType* type_of(const json::File& file) {
  const auto name = file.string("model_type", std::string(model_types().front().name));
  if (const auto* type = find_model_type(name, file.string("position_embedding_type", ""), code_of(file)))
    return type;
  std::vector<std::string> known;
  for (const auto& type : model_types())
    if (type.written.empty()) known.emplace_back(type.name);
  throw Error(file.path(), ": model_type is ", name, ", expected ", listed(known, "or"));
}

void read_sizes(const json::File& file, Dialect dialect, Config& config) {
  const auto& type = *config.type;
  const auto width = [&](std::string_view key, int64_t most) {
    return integer_within(file, key_in(file, type, key), {1, most});
  };
  config.vocab_size = width("vocab_size", kMaxVocab);
  config.hidden = width("hidden_size", kMaxWidth);
  config.layers = width("num_hidden_layers", kMaxLayers);
  config.heads = width("num_attention_heads", kMaxWidth);
  config.feed_forward = width("intermediate_size", kMaxWidth);
  config.pad_id = integer_within(file, "pad_token_id", {0, config.vocab_size - 1}, type.pad_id);
  for (const auto* key : {"bos_token_id", "cls_token_id", "eos_token_id", "sep_token_id"})
    if (const auto id = file.find(key);
        id && type.transforms_first && id->kind() == json::Value::Kind::number)
      config.token_ids.emplace_back(key, integer_within(file, key, {0, config.vocab_size - 1}));
  const int64_t first = config.first_position = type.first_position(config.pad_id);
  config.positions = integer_within(file, key_in(file, type, "max_position_embeddings"),
                                    {first + 1, kMaxPositions}, first + type.positions) -
                     first;
  config.types = type.token_types;
  if (config.types > 0 || type.disentangled)
    config.types =
        integer_within(file, "type_vocab_size", {type.theta || type.disentangled ? 0 : 1, kMaxTypes},
                       dialect == Dialect::google ? 16 : type.token_types);
  if (type.embedding_size && (*type.embedding_size > 0 || file.find("embedding_size")))
    config.embedding = integer_within(file, "embedding_size", {1, kMaxWidth}, type.embedding_size);
  if (type.shares_layers) {
    config.layer_groups = integer_within(file, "num_hidden_groups", {1, config.layers}, 1);
    integer_within(file, "inner_group_num", {1, 1}, 1);
  }
  if (type.relative_bias) {
    constexpr int64_t kLeast = nn::RelativeBias::kBuckets;
    config.bias_rows = integer_within(file, "relative_attention_num_buckets", {kLeast, kMaxWidth}, kLeast);
  }
  config.position_table = !type.linear_bias;
  if (config.hidden % config.heads != 0) {
    throw Error(file.path(), ": ", in_quotes(type.key("hidden_size")), " is ", config.hidden,
                ", expected a multiple of ", in_quotes(type.key("num_attention_heads")), ", ", config.heads);
  }
  if (const auto size = file.integer("head_dim", config.head_size()); size != config.head_size())
    throw Error(file.path(), ": \"head_dim\" is ", size, ", expected ", in_quotes(type.key("hidden_size")),
                " / ", in_quotes(type.key("num_attention_heads")), ", ", config.head_size());
}

nn::Activation read_activation(const json::File& file, Dialect dialect, const ModelType& type,
                               std::string_view ours = "hidden_act") {
  const auto key = key_in(file, type, ours);
  const auto name = file.string(key, std::string(hidden_act(type.activation)));
  if (type.gated)
    for (const auto& [gate, activation] : kGates)
      if (name == gate) return activation;
  const auto activation = activation_named(name);
  if (!activation) {
    const auto expected = type.names_gate ? "geglu, reglu or swiglu" : kActivationNames;
    throw Error(file.path(), ": ", in_quotes(key), " is ", in_quotes(name), ", expected ", expected);
  }
  return dialect == Dialect::google && name == "gelu" ? nn::Activation::gelu_tanh : *activation;
}

// An object of strings.
std::vector<std::pair<std::string, std::string>> texts_of(const json::File& file, std::string_view key,
                                                          std::string_view of_each) {
  std::vector<std::pair<std::string, std::string>> texts;
  const auto value = file.find(key);
  if (!value) return texts;
  try {
    for (const auto& [name, text] : value->members()) texts.emplace_back(name, text.string());
  } catch (const Error& error) {
    throw Error(file.path(), ": ", in_quotes(key), " ", error.what(), " for each ", of_each);
  }
  return texts;
}

void read_biases(const json::File& file, Config& config) {
  auto& biases = config.biases = config.type->biases;
  const std::pair<std::string_view, std::vector<bool*>> kKeys[] = {
      {"attention_bias", {&biases.attention, &biases.attention_output}},
      {"qkv_proj_bias", {&biases.attention, &biases.attention_output}},
      {"mlp_bias", {&biases.inner, &biases.output}},
      {"mlp_fc1_bias", {&biases.inner}},
      {"mlp_fc2_bias", {&biases.output}},
      {"norm_bias", {&biases.norms}},
      {"classifier_bias", {&biases.head}}};
  if (!config.type->theta) return;
  for (const auto& [key, targets] : kKeys)
    for (bool* const target : targets) *target = file.boolean(key, *target);
}

// Below the smallest one, nearly all normal numbers would be drawn again.
float read_cutoff(const json::File& file, double otherwise) {
  constexpr auto kKey = "initializer_cutoff_factor";
  constexpr double kLeast = 0.1, kMost = 1000;
  const double value = file.number(kKey, otherwise);
  if (value >= kLeast && value <= kMost) return static_cast<float>(value);
  throw Error(file.path(), ": ", in_quotes(kKey), " is ", value, ", expected ", kLeast, " to ", kMost);
}

void read_arithmetic(const json::File& file, Dialect dialect, Config& config) {
  const auto& type = *config.type;
  config.causal = !type.causal.empty() && file.boolean("is_decoder", false);
  config.activation = read_activation(file, dialect, type);
  config.head_activation = type.masked_lm_activation;
  if (type.transforms_first)
    config.head_activation = read_activation(file, dialect, type, "classifier_activation");
  if (type.transforms_first) {
    const auto pooling = file.string("classifier_pooling", "cls");
    if (pooling != "cls" && pooling != "mean")
      throw Error(file.path(), ": classifier_pooling is ", pooling, ", expected cls or mean");
    config.pools_mean = pooling == "mean";
  }
  config.norm_epsilon = fraction(file, key_in(file, type, "layer_norm_eps"), type.norm_epsilon);
  config.hidden_dropout = fraction(file, key_in(file, type, "hidden_dropout_prob"), type.dropout);
  config.attention_dropout = fraction(file, key_in(file, type, "attention_probs_dropout_prob"), type.dropout);
  config.classifier_dropout = fraction(file, type.key("classifier_dropout"),
                                       type.transforms_first ? type.dropout : config.hidden_dropout);
  if (!type.embedding_dropout.empty())
    config.embedding_dropout = fraction(file, type.embedding_dropout, type.dropout);
  if (!type.answer_dropout.empty()) config.answer_dropout = fraction(file, type.answer_dropout, type.dropout);
  config.init_range = fraction(file, "initializer_range", 0.02);
  if (type.init_cutoff) config.init_cutoff = read_cutoff(file, *type.init_cutoff);
  config.weighted_layers = file.boolean("use_weighted_layer_sum", false);
  if (file.find("text_pairs")) config.pairs = file.boolean("text_pairs");
  config.document_context = file.boolean("document_context", false);
  config.kept_options = texts_of(file, "bert_filters", "option");
  if (!type.written.empty()) config.auto_map = texts_of(file, "auto_map", "class");
  config.tied_embeddings = file.boolean("tie_word_embeddings", true);
}

std::vector<std::string> architectures_of(const json::File& file) {
  std::vector<std::string> names;
  const auto value = file.find("architectures");
  if (!value) return names;
  try {
    for (const auto& element : value->elements()) names.emplace_back(element.string());
  } catch (const Error& error) {
    throw Error(file.path(), ": \"architectures\" ", error.what());
  }
  return names;
}

// Parses `key` as a decimal id less than `count`.
size_t label_id(std::string_view key, size_t count) {
  size_t id = count;
  const auto end = key.data() + key.size();
  const auto [stop, failure] = std::from_chars(key.data(), end, id);
  if (failure != std::errc() || stop != end || id >= count) {
    throw Error("has the id ", in_quotes(key), ", expected 0 to ", count - 1);
  }
  return id;
}

// {"0": "negative", "1": "positive"}: keys are ids in decimal, in any order; each of 0..n-1 occurs once.
std::vector<std::string> labels_of(const json::Value& id2label) {
  const auto members = id2label.members();
  std::vector<std::optional<std::string>> found(members.size());
  for (const auto& [key, value] : members) {
    auto& label = found[label_id(key, found.size())];
    if (label) throw Error("has the id ", in_quotes(key), " twice");
    label = value.kind() == json::Value::Kind::number ? std::to_string(value.integer())
                                                      : std::string(value.string());
    if (label->empty()) throw Error("has an empty label for the id ", in_quotes(key));
  }
  std::vector<std::string> labels;
  for (auto& label : found) labels.push_back(std::move(*label));
  return labels;
}

void read_labels(const json::File& file, Config& config) {
  const auto id2label = file.find("id2label");
  try {
    if (id2label && !id2label->members().empty()) {
      config.labels = labels_of(*id2label);
      return;
    }
  } catch (const Error& error) {
    throw Error(file.path(), ": \"id2label\" ", error.what());
  }
  const int64_t count = integer_within(file, "num_labels", {1, kMaxLabels}, 2);
  config.labels.clear();
  for (int64_t id = 0; id < count; ++id) config.labels.push_back("LABEL_" + std::to_string(id));
}

void read_task(const json::File& file, Config& config) {
  const auto name = file.string("problem_type", "");
  for (const auto type : {ProblemType::regression, ProblemType::single_label, ProblemType::multi_label}) {
    if (name == name_of(type)) config.problem_type = type;
  }
  if (!name.empty() && !config.problem_type) {
    throw Error(file.path(), ": \"problem_type\" is ", in_quotes(name),
                ", expected regression, single_label_classification or multi_label_classification");
  }
}

// CrossEncoder stores its activation in config.json; before release 4 it used another key.
void read_cross_encoder(const json::File& file, Config& config) {
  constexpr auto kOldKey = "sbert_ce_default_activation_function";
  std::optional<std::string> name;
  if (file.find(kOldKey)) name = file.string(kOldKey);
  try {
    const auto settings = file.find("sentence_transformers");
    const auto activation = settings ? settings->find("activation_fn") : std::nullopt;
    if (activation && !activation->is_null()) name = activation->string();
    if (!settings && !name) return;
    config.cross_encoder = true;
    if (name) config.score_activation = score_activation_named(*name);
  } catch (const Error& error) {
    throw Error(file.path(), ": cross-encoder activation ", error.what());
  }
}

std::string_view last_component(std::string_view name) { return name.substr(name.rfind('.') + 1); }

Config read_config(const json::File& file, Dialect dialect) {
  Config config;
  config.type = type_of(file);
  refuse_others(file, *config.type);
  read_sizes(file, dialect, config);
  read_rotary(file, config);
  config.quantized = read_quantization(file);
  if (config.type->disentangled) read_disentangled(file, config);
  read_biases(file, config);
  read_arithmetic(file, dialect, config);
  config.architectures = architectures_of(file);
  read_labels(file, config);
  read_task(file, config);
  read_cross_encoder(file, config);
  return config;
}

}  // namespace

bool Config::has_architecture(std::string_view name) const {
  return std::find(architectures.begin(), architectures.end(), name) != architectures.end();
}

std::string config_path(const std::string& directory) {
  const auto path = (std::filesystem::path(directory) / "config.json").string();
  const auto google = (std::filesystem::path(directory) / "bert_config.json").string();
  return kind_of(path) == FileKind::absent && is_file(google) ? google : path;
}

Config load_config(const std::string& directory, Dialect dialect) {
  return read_config(json::File(config_path(directory)), dialect);
}

Config parse_config(const std::string& path, std::string_view text) {
  return read_config(json::File(path, text), Dialect::hugging_face);
}

std::optional<nn::Activation> activation_named(std::string_view name) {
  using enum nn::Activation;
  constexpr std::array<std::pair<std::string_view, nn::Activation>, 18> kNames = {{
      {"gelu", gelu},
      {"gelu_python", gelu},
      {"GELU", gelu},
      {"gelu_new", gelu_tanh},
      {"gelu_tanh", gelu_tanh},
      {"gelu_pytorch_tanh", gelu_tanh},
      {"gelu_fast", gelu_tanh},
      {"gelu_accurate", gelu_tanh},
      {"gelu_python_tanh", gelu_tanh},
      {"relu", relu},
      {"ReLU", relu},
      {"silu", silu},
      {"swish", silu},
      {"SiLU", silu},
      {"tanh", tanh},
      {"Tanh", tanh},
      {"linear", none},
      {"Identity", none},
  }};
  const auto key = last_component(name);
  for (const auto& [known, activation] : kNames) {
    if (known == key) return activation;
  }
  return std::nullopt;
}

std::string_view hidden_act(nn::Activation activation) {
  constexpr std::string_view kNames[] = {"linear", "gelu", "gelu_new", "relu", "silu", "tanh"};  // by value
  return kNames[static_cast<size_t>(activation)];
}

std::string_view gate_name(nn::Activation activation) {
  const auto* const found =
      std::ranges::find(kGates, activation, [](const auto& gate) { return gate.second; });
  return found == std::end(kGates) ? "" : found->first;
}

std::string_view name_of(ProblemType type) {
  constexpr std::string_view kNames[] = {"regression", "single_label_classification",
                                         "multi_label_classification"};  // by value
  return kNames[static_cast<size_t>(type)];
}

ScoreActivation score_activation_named(std::string_view name) {
  const auto key = last_component(name);
  if (key == "Sigmoid") return ScoreActivation::sigmoid;
  if (key == "Identity") return ScoreActivation::none;
  throw Error("is ", in_quotes(name), ", expected Sigmoid or Identity");
}

}  // namespace bert::model
