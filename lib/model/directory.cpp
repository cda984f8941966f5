#include "model/directory.h"

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "ckpt/forms.h"
#include "json/json.h"
#include "model/heads.h"
#include "model/late_json.h"

namespace bert::model {
namespace {

// A static model has no length of its own, but tokenizer.json may truncate texts.
int64_t static_max_length(const std::string& path, int64_t positions) {
  const json::File file((std::filesystem::path(path) / "tokenizer.json").string());
  const auto truncation = file.find("truncation");
  const auto length = truncation ? truncation->find("max_length") : std::nullopt;
  return length ? std::min(positions, length->integer()) : positions;
}

// The configuration of a static model, from its table.
Config read_table(const std::string& path) {
  const auto checkpoint = ckpt::Checkpoint::open(path, ckpt::DataSums::leave);
  for (const char* name : {"mapping", "weights"})
    if (checkpoint.find(name) != nullptr)
      throw Error(path, ": the static model has the tensor \"", name,
                  "\", which cannot be computed; save it with sentence-transformers, which needs none");
  const auto* const table = checkpoint.find(kWordTable);
  if (table == nullptr || table->shape.size() != 2)
    throw Error(path, ": has no table \"embedding.weight\" of vectors, which a static model needs");
  return static_config(table->shape[0], table->shape[1]);
}

// `path` has the tokenizer.
int64_t max_length_of(const std::string& path, const SentenceTransformer& sentence, int64_t positions) {
  const auto stated = sentence.max_seq_length ? sentence.max_seq_length : text::model_max_length(path);
  return std::min(positions, stated.value_or(positions));
}

// Google's configurations do not describe heads and labels, so derive them from the weights.
void read_heads(const ckpt::Checkpoint& checkpoint, Config& config) {
  using enum task::Task;
  const auto has = [&](task::Task task) { return checkpoint.find(head_of(task)->mark) != nullptr; };
  const auto bias = std::string(head_of(classify)->tensors(*config.type)) + ".bias";
  Heads heads;
  if (has(fill)) {
    heads = {head_of(fill)};
    if (has(next)) heads.push_back(head_of(next));
  } else if (has(answer)) {
    heads = {head_of(answer)};
  } else if (const auto* classifier = checkpoint.find(bias)) {
    heads = {head_of(classify)};
    config.labels.clear();
    for (int64_t id = 0; id < classifier->count(); ++id)
      config.labels.push_back("LABEL_" + std::to_string(id));
  }
  if (!heads.empty()) config.architectures = {architecture_of(heads, config)};
}

nn::Activation activation_of(std::string_view name) {
  if (const auto activation = activation_named(name)) return *activation;
  throw Error("unknown activation ", json::in_quotes(name), ", expected ", kActivationNames);
}

// A config.json need not name the code of its model.
bool normalizes_queries(const std::string& path) {
  const auto checkpoint = ckpt::Checkpoint::open(path, ckpt::DataSums::leave);
  return checkpoint.find(layer_name(0) + ".attention.self.query.LayerNorm.weight") != nullptr;
}

Config read_configuration(const std::string& path) {
  // Check the weights first: an unsupported weight format is a more useful error than a missing
  // configuration.
  const bool tensorflow = ckpt::find_weights(path).form == ckpt::Form::tensorflow;
  auto config = load_config(path, tensorflow ? Dialect::google : Dialect::hugging_face);
  const bool google = config_path(path).ends_with("/bert_config.json");
  if (google && config.architectures.empty()) {
    read_heads(ckpt::Checkpoint::open(path, ckpt::DataSums::leave), config);
  }
  if (config.type->linear_bias && !config.type->norms_queries && normalizes_queries(path))
    config.type = find_model_type("jina_bert_code");
  return config;
}

}  // namespace

int64_t Directory::vector_size(int64_t modes) const {
  int64_t size = modes * config.hidden;
  for (const auto& module : sentence.modules) {
    if (const auto* dense = std::get_if<Dense>(&module)) size = dense->out;
  }
  return size;
}

Directory open_directory(const std::string& path, std::string_view activation) {
  if (const auto kind = kind_of(path); kind != FileKind::directory) {
    throw Error(path, kind == FileKind::absent ? ": no such model directory"
                                               : ": is a file, expected a model directory");
  }
  if (is_file((std::filesystem::path(path) / "adapter_config.json").string()))
    throw Error(path,
                ": has an adapter (adapter_config.json); merge it into the model first, with PEFT's "
                "merge_and_unload");
  Directory directory{.root = path, .path = transformer_of(path)};
  const bool table = is_static(path);
  auto& config = directory.config = table ? read_table(directory.path) : read_configuration(directory.path);
  if (!activation.empty()) config.activation = activation_of(activation);
  auto& sentence = directory.sentence = load_sentence_transformer(path, config.hidden);
  if (config.has_architecture(kStanford) && !sentence.late && !sentence.pooling && !sentence.sparse)
    read_stanford(path, config.hidden, sentence);
  config.cross_encoder |= sentence.cross_encoder;
  if (sentence.score_activation) config.score_activation = sentence.score_activation;
  directory.max_length = table ? static_max_length(directory.path, config.positions)
                               : max_length_of(directory.path, sentence, config.positions);
  return directory;
}

text::Tokenizer load_tokenizer(const Directory& directory, text::Case override_case) {
  std::vector<std::string> marks;
  if (const auto& late = directory.sentence.late)
    for (const auto& [_, mark] : late->marks) marks.push_back(mark);
  return text::load_tokenizer(directory.path, text::Compat::hf, override_case,
                              {.lowercase = directory.sentence.lowercase,
                               .max_length = directory.max_length,
                               .specials = !directory.config.type->words_only,
                               .marks = std::move(marks)});
}

void check_vocabulary(const Directory& directory, const text::Tokenizer& tokenizer, Log& log) {
  const auto json = std::filesystem::path(directory.path) / "tokenizer.json";
  const auto file = is_file(json.string()) ? json : std::filesystem::path(directory.path) / "vocab.txt";
  int64_t count = tokenizer.size();
  while (count > 0 && tokenizer.is_added(count - 1)) --count;
  const int64_t rows = directory.config.vocab_size;
  const auto found =
      file.string() + " has " + counted(count, "token", "tokens") + ", the model " + std::to_string(rows);
  if (count > rows) throw Error(found);
  if (10 * int64_t{tokenizer.size()} < 9 * rows) log.warn(found + "; is the vocabulary that of this model?");
}

void check_labels(const Directory& directory, Log& log) {
  const json::File file(config_path(directory.path));
  const auto label2id = file.find("label2id");
  if (!label2id || label2id->kind() != json::Value::Kind::object || !file.find("id2label")) return;
  const auto& labels = directory.config.labels;
  for (const auto& [label, id] : label2id->members()) {
    const auto found = std::ranges::find(labels, label);
    const auto used = std::to_string(found - labels.begin());
    const bool number = id.kind() == json::Value::Kind::number;
    const bool text = id.kind() == json::Value::Kind::string;
    if (found == labels.end() || !(number || text) || id.label() == used) continue;
    log.warn(file.path() + ": the label " + json::in_quotes(label) + " has the id " + id.label() +
             " in label2id and " + used + " in id2label, which is used");
    return;
  }
}

namespace {

// The longest text of a model. One that cannot be computed may have a tokenizer, too.
int64_t positions_in(const std::string& config) {
  const json::File file(config);
  const auto* type = find_model_type(file.string("model_type", "bert"));
  if (type != nullptr && type->theta)
    return load_config(std::filesystem::path(config).parent_path().string()).positions;
  const int64_t first = type ? type->first_position(file.integer("pad_token_id", type->pad_id)) : 0;
  return file.integer("max_position_embeddings", first + Config().positions) - first;
}

}  // namespace

text::Tokenizer load_tokenizer(const std::string& path, text::Compat compat, text::Case override_case) {
  const auto transformer = transformer_of(path);
  const auto sentence = load_text_settings(path);
  text::ModelSettings settings = {
      .lowercase = sentence.lowercase, .max_length = {}, .specials = !is_static(path)};
  if (!settings.specials) return text::load_tokenizer(transformer, compat, override_case, settings);
  if (const auto file = config_path(transformer); is_file(file)) {
    settings.max_length = max_length_of(transformer, sentence, positions_in(file));
  }
  return text::load_tokenizer(transformer, compat, override_case, settings);
}

}  // namespace bert::model
