#include "model/save.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include "base/error.h"
#include "base/file.h"
#include "base/output_directory.h"
#include "base/output_file.h"
#include "model/config_json.h"

namespace bert::model {
namespace {

namespace fs = std::filesystem;

// Files of an old model. They are invalid next to a new model, even if it does not write them itself.
bool is_model_file(const std::string& name) {
  static constexpr std::array<std::string_view, 11> kNames = {"config.json",
                                                              "generation_config.json",
                                                              "vocab.txt",
                                                              "tokenizer.json",
                                                              "tokenizer_config.json",
                                                              "special_tokens_map.json",
                                                              "added_tokens.json",
                                                              "model.safetensors.index.json",
                                                              "pytorch_model.bin.index.json",
                                                              "tf_model.h5",
                                                              "flax_model.msgpack"};
  if (is_module_entry(name) || std::ranges::find(kNames, name) != kNames.end()) return true;
  return (name.starts_with("model") && name.ends_with(".safetensors")) ||
         (name.starts_with("pytorch_model") && name.ends_with(".bin"));
}

bool is_kept(const std::string& name) { return !is_model_file(name); }

void write_file(const std::string& path, std::string_view bytes) {
  OutputFile file(path);
  file.write(bytes);
  file.commit();
}

ckpt::WrittenFile write_files(OutputDirectory& output, const Config& config, const TokenizerFiles& tokenizer,
                              std::span<const ckpt::TensorToWrite> tensors, Dtype weights,
                              const ModuleFiles& modules) {
  write_file(output.file("vocab.txt"), tokenizer.vocab);
  write_file(output.file("tokenizer_config.json"), tokenizer.settings);
  write_file(output.file("special_tokens_map.json"), tokenizer.special_tokens);
  if (tokenizer.json) write_file(output.file("tokenizer.json"), *tokenizer.json);
  write_file(output.file("config.json"), config_json(config, weights));
  modules.write(output);
  return ckpt::write_safetensors(output.file("model.safetensors"), tensors);
}

}  // namespace

std::string stored_name(const Config& config, const std::string& canonical) {
  const bool in_encoder = canonical.starts_with("embeddings.") || canonical.starts_with("encoder.") ||
                          canonical.starts_with("pooler.");
  return in_encoder && !config.has_architecture("BertModel") ? "bert." + canonical : canonical;
}

std::vector<ckpt::TensorToWrite> saved_tensors(const Config& config, const nn::Params& params) {
  std::vector<ckpt::TensorToWrite> tensors;
  const auto& entries = params.layout().entries();
  for (size_t place = 0; place < entries.size(); ++place) {
    tensors.push_back({.name = stored_name(config, entries[place].name),
                       .shape = entries[place].shape,
                       .data = std::as_bytes(params.tensor(static_cast<int>(place)))});
  }
  return tensors;
}

void require_output(const std::string& directory, std::span<const std::string> besides) {
  OutputDirectory::clear_leftovers(directory, is_kept);
  const auto kind = kind_of(directory);
  if (kind == FileKind::absent) return;
  if (kind != FileKind::directory) throw Error(directory, ": is not a directory");
  if (is_file((fs::path(directory) / "config.json").string())) return;
  for (const auto& name : names_in_directory(directory)) {
    if (std::ranges::find(besides, name) != besides.end()) continue;
    throw Error(directory, ": holds ", name,
                " and no model: expected a new, an empty or a model's directory");
  }
}

void save(const std::string& directory, const Config& config, const TokenizerFiles& tokenizer,
          std::span<const ckpt::TensorToWrite> tensors, Dtype weights, const ModuleFiles& modules) {
  OutputDirectory output(directory, is_kept);
  output.write([&] { write_files(output, config, tokenizer, tensors, weights, modules); });
  output.commit();
}

ckpt::WrittenFile save(OutputDirectory& output, const Config& config, const TokenizerFiles& tokenizer,
                       const nn::Params& params) {
  return write_files(output, config, tokenizer, saved_tensors(config, params), Dtype::f32, {});
}

void save(const std::string& directory, const Config& config, const TokenizerFiles& tokenizer,
          const nn::Params& params) {
  save(directory, config, tokenizer, saved_tensors(config, params));
}

}  // namespace bert::model
