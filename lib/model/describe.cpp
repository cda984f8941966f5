#include <filesystem>
#include <map>
#include <set>

#include "ckpt/forms.h"
#include "json/json.h"
#include "model/convert.h"
#include "model/heads.h"
#include "text/tokenizer.h"

namespace bert::model {
namespace {

// Builds {"key":value,…} on one line.
class Line {
 public:
  std::string& key(std::string_view name) {
    text_ += text_.empty() ? '{' : ',';
    json::append_string(text_, name);
    return text_ += ':';
  }
  void string(std::string_view name, std::string_view value) { json::append_string(key(name), value); }
  void integer(std::string_view name, int64_t value) { json::append_integer(key(name), value); }
  void boolean(std::string_view name, bool value) { key(name) += value ? "true" : "false"; }
  void raw(std::string_view name, std::string_view json) { key(name) += json; }
  std::string end() const { return text_.empty() ? "{}" : text_ + "}"; }

 private:
  std::string text_;
};

std::string strings(const std::vector<std::string>& values) {
  std::string text = "[";
  for (const auto& value : values) {
    if (text.size() > 1) text += ',';
    json::append_string(text, value);
  }
  return text + "]";
}

std::string_view form_of(const ckpt::WeightsFile& weights) {
  if (weights.form == ckpt::Form::tensorflow) return "tensorflow";
  const auto name = std::filesystem::path(weights.path).filename().string();
  return name.find(".safetensors") != std::string::npos ? "safetensors" : "pytorch";
}

std::string weights_json(const Directory& directory, const ckpt::Checkpoint& checkpoint,
                         std::span<const ckpt::TensorToWrite> tensors) {
  std::set<std::string> files;
  for (const auto& tensor : checkpoint.tensors()) files.insert(tensor.file);
  std::map<std::string_view, int64_t> counts;
  for (const auto& tensor : tensors)
    counts[name_of(tensor.dtype)] += static_cast<int64_t>(tensor.data.size() / size_of(tensor.dtype));
  Line formats;
  for (const auto& [format, count] : counts) formats.integer(format, count);
  Line line;
  line.string("form", form_of(ckpt::find_weights(directory.path)));
  line.integer("files", static_cast<int64_t>(files.size()));
  line.integer("tensors", static_cast<int64_t>(tensors.size()));
  line.raw("formats", formats.end());
  return line.end();
}

std::string tokenizer_json(const text::Tokenizer& tokenizer) {
  const auto& config = tokenizer.config();
  Line line;
  line.integer("size", tokenizer.size());
  line.boolean("lowercase", config.lowercase);
  line.boolean("strip_accents", config.strip_accents);
  line.boolean("chinese_chars", config.chinese_chars);
  return line.end();
}

std::string pooling_json(const SentenceTransformer& sentence) {
  if (!sentence.pooling) return "null";
  std::vector<std::string> modes;
  for (const auto mode : sentence.pooling->modes) modes.emplace_back(name_of(mode));
  return strings(modes);
}

std::string heads_json(const ckpt::Checkpoint& checkpoint) {
  std::vector<std::string> names;
  for (const Head head : heads_of(checkpoint)) names.emplace_back(name_of(head));
  return strings(names);
}

}  // namespace

std::string describe(const std::string& source, std::string_view activation, Log& log) {
  const auto directory = open_directory(source, activation);
  const auto& config = directory.config;
  const auto checkpoint = ckpt::Checkpoint::open(directory.path, ckpt::DataSums::leave);
  const auto tensors = converted_tensors(config, checkpoint, log);
  const auto tokenizer = text::load_tokenizer(directory.path);
  int64_t parameters = 0;
  for (const auto& tensor : tensors)
    parameters += static_cast<int64_t>(tensor.data.size() / size_of(tensor.dtype));
  Line line;
  line.raw("architectures", strings(config.architectures));
  line.integer("vocab_size", config.vocab_size);
  line.integer("hidden_size", config.hidden);
  line.integer("num_hidden_layers", config.layers);
  line.integer("num_attention_heads", config.heads);
  line.integer("intermediate_size", config.feed_forward);
  line.string("hidden_act", hidden_act(config.activation));
  line.integer("max_position_embeddings", config.positions);
  line.integer("type_vocab_size", config.types);
  line.integer("max_length", directory.max_length);
  line.integer("parameters", parameters);
  line.raw("weights", weights_json(directory, checkpoint, tensors));
  line.raw("tokenizer", tokenizer_json(tokenizer));
  line.raw("pooling", pooling_json(directory.sentence));
  line.raw("heads", heads_json(checkpoint));
  const bool classifies = checkpoint.find("classifier.weight") != nullptr;
  line.raw("labels", classifies ? strings(config.labels) : "[]");
  return line.end() + "\n";
}

}  // namespace bert::model
