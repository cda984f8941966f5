#include <filesystem>
#include <functional>
#include <map>
#include <numeric>
#include <set>

#include "ckpt/forms.h"
#include "json/json.h"
#include "model/convert.h"
#include "model/directory.h"
#include "model/heads.h"
#include "text/tokenizer.h"

namespace bert::model {
namespace {

std::string_view form_of(const ckpt::WeightsFile& weights) {
  if (weights.form == ckpt::Form::tensorflow) return "tensorflow";
  const auto name = std::filesystem::path(weights.path).filename().string();
  return name.find(".safetensors") != std::string::npos ? "safetensors" : "pytorch";
}

int64_t count_of(const ckpt::TensorToWrite& tensor) {
  return std::accumulate(tensor.shape.begin(), tensor.shape.end(), int64_t{1}, std::multiplies());
}

void append_weights(std::string& out, const Directory& directory, const ckpt::Checkpoint& checkpoint,
                    std::span<const ckpt::TensorToWrite> tensors) {
  std::set<std::string> files;
  for (const auto& tensor : checkpoint.tensors()) files.insert(tensor.file);
  std::map<std::string_view, int64_t> counts;
  for (const auto& tensor : tensors) counts[name_of(tensor.dtype)] += count_of(tensor);
  json::Object weights(out);
  weights.string("form", form_of(ckpt::find_weights(directory.path)));
  weights.integer("files", files.size());
  weights.integer("tensors", tensors.size());
  json::Object formats(weights.key("formats"));
  for (const auto& [format, count] : counts) formats.integer(format, count);
  formats.end();
  weights.end();
}

void append_tokenizer(std::string& out, const text::Tokenizer& tokenizer) {
  const auto& config = tokenizer.config();
  json::Object object(out);
  object.integer("size", tokenizer.size());
  if (config.model == text::ModelKind::wordpiece) {
    object.boolean("lowercase", config.lowercase);
    object.boolean("strip_accents", config.strip_accents);
    object.boolean("chinese_chars", config.chinese_chars);
  } else {
    object.string("model", config.model == text::ModelKind::bpe ? "bpe" : "unigram");
  }
  object.end();
}

// Settings of sentence-transformers other than the usual ones.
void append_sentence(json::Object& line, const SentenceTransformer& sentence) {
  if (sentence.truncate_dim) line.integer("truncate_dim", *sentence.truncate_dim);
  if (sentence.similarity && sentence.similarity != "cosine") line.string("similarity", *sentence.similarity);
  if (!sentence.prompts.empty()) {
    json::Object prompts(line.key("prompts"));
    for (const auto& [name, text] : sentence.prompts) prompts.string(name, text);
    prompts.end();
  }
  if (sentence.default_prompt) line.string("default_prompt_name", *sentence.default_prompt);
  if (!sentence.late) return;
  json::Object late(line.key("late_interaction"));
  if (sentence.late->query_length) late.integer("query_length", *sentence.late->query_length);
  if (sentence.late->document_length) late.integer("document_length", *sentence.late->document_length);
  if (sentence.late->expansion) late.integer("query_expansion", sentence.late->expansion->length);
  late.integer("tokens_without_vector", std::ssize(sentence.late->skipped));
  late.end();
}

}  // namespace

std::string describe(const std::string& source, std::string_view activation, Log& log) {
  const auto directory = open_directory(source, activation);
  const auto& config = directory.config;
  const auto checkpoint = ckpt::Checkpoint::open(directory.path, ckpt::DataSums::leave);
  const auto tensors = converted_tensors(config, checkpoint, log);
  const auto tokenizer = load_tokenizer(directory);
  int64_t parameters = 0;
  for (const auto& tensor : tensors) parameters += count_of(tensor);
  std::string text;
  json::Object line(text);
  line.strings("architectures", config.architectures);
  line.integer("vocab_size", config.vocab_size);
  line.integer("hidden_size", config.hidden);
  line.integer("num_hidden_layers", config.layers);
  line.integer("num_attention_heads", config.heads);
  line.integer("intermediate_size", config.feed_forward);
  line.string("hidden_act", hidden_act(config.activation));
  line.integer("max_position_embeddings", config.first_position + config.positions);
  line.integer("type_vocab_size", config.types);
  if (config.causal) line.boolean("is_decoder", true);
  if (config.pairs) line.boolean("text_pairs", *config.pairs);
  if (!config.kept_options.empty()) {
    json::Object options(line.key("bert_filters"));
    for (const auto& [name, value] : config.kept_options) options.string(name, value);
    options.end();
  }
  if (config.document_context) line.boolean("document_context", true);
  if (config.weighted_layers) line.boolean("use_weighted_layer_sum", true);
  line.integer("max_length", directory.max_length);
  line.integer("parameters", parameters);
  append_weights(line.key("weights"), directory, checkpoint, tensors);
  append_tokenizer(line.key("tokenizer"), tokenizer);
  if (directory.sentence.pooling) {
    json::append_array(line.key("pooling"), directory.sentence.pooling->modes,
                       [](std::string& out, PoolingMode mode) { json::append_string(out, name_of(mode)); });
  } else {
    line.null("pooling");
  }
  append_sentence(line, directory.sentence);
  json::append_array(line.key("heads"), heads_in(checkpoint), json::append_string);
  const bool classifies = checkpoint.find("classifier.weight") != nullptr;
  line.strings("labels", classifies ? config.labels : std::vector<std::string>());
  line.end();
  return text + "\n";
}

}  // namespace bert::model
