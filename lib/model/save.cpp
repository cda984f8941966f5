#include "model/save.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <map>
#include <system_error>

#include "base/error.h"
#include "base/file.h"
#include "base/model_files.h"
#include "base/option.h"
#include "base/output_directory.h"
#include "base/output_file.h"
#include "json/json.h"
#include "model/card.h"
#include "model/config_json.h"
#include "model/heads.h"
#include "model/parts.h"
#include "model/stored_tensors.h"

namespace bert::model {
namespace {

namespace fs = std::filesystem;

void add_special_tokens(json::Object& object, const text::TokenizerConfig& config) {
  object.string("cls_token", config.cls);
  object.string("mask_token", config.mask);
  object.string("pad_token", config.pad);
  object.string("sep_token", config.sep);
  object.string("unk_token", config.unk);
}

// {"103": {"content": "[MASK]", …}, …} sorted by id, as transformers writes it.
void append_added_tokens(std::string& out, const text::Tokenizer& tokenizer) {
  std::map<int32_t, const text::AddedToken*> by_id;
  for (const auto& token : tokenizer.config().added) {
    if (const auto id = token.id >= 0 ? token.id : tokenizer.id(token.content)) by_id[*id] = &token;
  }
  json::Object tokens(out, 1);
  for (const auto& [id, token] : by_id) {
    json::Object object(tokens.key(std::to_string(id)), 2);
    object.string("content", token->content);
    object.boolean("lstrip", token->lstrip);
    object.boolean("normalized", token->normalized);
    object.boolean("rstrip", token->rstrip);
    object.boolean("single_word", token->single_word);
    object.boolean("special", token->special);
    object.end();
  }
  tokens.end();
}

std::string settings_json(const text::Tokenizer& tokenizer, int64_t max_length) {
  const auto& config = tokenizer.config();
  std::string text;
  json::Object object(text, 0);
  append_added_tokens(object.key("added_tokens_decoder"), tokenizer);
  object.boolean("do_basic_tokenize", config.basic_tokenize);
  object.boolean("do_lower_case", config.lowercase);
  const std::string inputs[] = {"input_ids", "attention_mask"};
  if (!config.token_types) object.strings("model_input_names", inputs);
  object.integer("model_max_length", max_length);
  object.boolean("strip_accents", config.strip_accents);
  object.boolean("tokenize_chinese_chars", config.chinese_chars);
  const bool doubled = config.layout == text::Layout{.separators = 2, .second_type = 0};
  object.string("tokenizer_class", doubled ? "MPNetTokenizer" : "BertTokenizer");
  // Also overrides a truncation block in tokenizer.json, which is copied.
  if (config.truncate_left || config.truncation)
    object.string("truncation_side", config.truncate_left ? "left" : "right");
  add_special_tokens(object, config);
  object.end();
  return text + "\n";
}

std::string special_tokens_json(const text::TokenizerConfig& config) {
  std::string text;
  json::Object object(text, 0);
  add_special_tokens(object, config);
  object.end();
  return text + "\n";
}

// One line for each id of the vocabulary. Used if the source has no matching vocab.txt.
std::string vocab_lines(const text::Tokenizer& tokenizer) {
  std::string lines;
  for (int32_t id = 0; id < tokenizer.size(); ++id) lines.append(tokenizer.subword(id)) += '\n';
  return lines;
}

bool same_settings(const text::TokenizerConfig& a, const text::TokenizerConfig& b) {
  return a.clean_text == b.clean_text && a.lowercase == b.lowercase && a.strip_accents == b.strip_accents &&
         a.chinese_chars == b.chinese_chars && a.basic_tokenize == b.basic_tokenize &&
         a.max_word_chars == b.max_word_chars && a.prefix == b.prefix && a.unk == b.unk && a.cls == b.cls &&
         a.sep == b.sep;
}

// Compares the subword tokens at all ids.
bool same_subwords(const text::Tokenizer& a, const text::Tokenizer& b) {
  if (a.size() != b.size()) return false;
  for (int32_t id = 0; id < a.size(); ++id) {
    if (a.subword(id) != b.subword(id)) return false;
  }
  return true;
}

// The text of tokenizer_config.json with another value of `key`, which is a number or a word.
std::string with_setting(std::string text, std::string key, const std::string& value) {
  key = '"' + key + '"';
  const size_t at = text.find(key);
  if (at == text.npos) {
    const size_t begin = text.find('{') + 1;
    const bool empty = text.find_first_not_of(" \t\r\n", begin) == text.find('}', begin);
    return text.insert(begin, key + ": " + value + (empty ? "" : ", "));
  }
  const size_t begin = text.find_first_not_of(" \t\r\n:", at + key.size());
  return text.replace(begin, text.find_first_of(",} \t\r\n", begin) - begin, value);
}

// Where the file `name` of the tokenizer `source`, a directory or a vocabulary, is. Beside a vocabulary are
// its settings; other vocabularies are read from tokenizer.json alone.
std::string path_of(std::string_view name, const std::string& source,
                    const text::VocabularyFile& vocabulary) {
  const bool is_setting =
      name.ends_with("_config.json") || name.ends_with("_map.json") || name == "added_tokens.json";
  if (name == vocabulary.name) return source;
  if (name == "merges.txt" && !vocabulary.merges.empty()) return vocabulary.merges;
  if (!is_setting && !vocabulary.name.empty() && vocabulary.name != "tokenizer.json") return "";
  return (is_directory(source) ? fs::path(source) / name : fs::path(source).parent_path() / name).string();
}

TokenizerFiles copied_files(const text::Tokenizer& tokenizer, const std::string& source, int64_t max_length) {
  const auto vocabulary = is_directory(source) ? text::VocabularyFile() : text::vocabulary_file(source);
  TokenizerFiles files;
  for (const auto name : kTokenizerFiles) {
    const auto path = path_of(name, source, vocabulary);
    const bool found = !path.empty() && is_file(path),
               settings = name == "tokenizer_config.json" && tokenizer.config().specials;
    if (!found && !settings) continue;
    auto text = found ? read_text(path) : "{}\n";
    if (settings && tokenizer.config().model_max_length != max_length)
      text = with_setting(std::move(text), "model_max_length", std::to_string(max_length));
    if (settings && !vocabulary.family.empty() && text.find("\"tokenizer_class\"") == text.npos)
      text = with_setting(std::move(text), "tokenizer_class", '"' + vocabulary.family + "Tokenizer\"");
    files.others.emplace_back(name, std::move(text));
  }
  return files;
}

struct Source {
  fs::path vocab, json;
};

Source files_of(const std::string& source) {
  const fs::path path(source);
  if (is_directory(source)) return {path / "vocab.txt", path / "tokenizer.json"};
  if (path.extension() == ".json") return {path.parent_path() / "vocab.txt", path};
  return {path, path.parent_path() / "tokenizer.json"};
}

// Files of an old model. They are invalid next to a new model, even if it does not write them itself.
bool is_model_file(const std::string& name) {
  static constexpr std::array<std::string_view, 6> kNames = {
      "config.json", "generation_config.json", "model.safetensors.index.json", "pytorch_model.bin.index.json",
      "tf_model.h5", "flax_model.msgpack"};
  if (is_module_entry(name) || is_tokenizer_file(name) || std::ranges::find(kNames, name) != kNames.end())
    return true;
  return (name.starts_with("model") && name.ends_with(".safetensors")) ||
         (name.starts_with("pytorch_model") && name.ends_with(".bin"));
}

// What belongs to a model: a file, a generator, or the folder of a module, which may be empty.
bool is_of_model(const fs::path& entry) {
  const std::string name = entry.filename();
  const bool is_folder = name == kGenerator || (name.front() >= '0' && name.front() <= '9');
  if (!is_folder) return is_model_file(name);
  std::error_code failure;  // then the folder is kept
  return (name == kGenerator || is_model_file(name)) &&
         (fs::is_regular_file(entry / "config.json", failure) || fs::is_empty(entry, failure));
}

bool is_kept(const fs::path& entry) { return !is_of_model(entry); }

void write_file(const std::string& path, std::string_view bytes) {
  OutputFile file(path);
  file.write(bytes);
  file.commit();
}

// The weights of the module that are parameters of the network.
void write_trained(OutputDirectory& output, const ModuleFiles::Trained& module,
                   std::span<const ckpt::TensorToWrite> tensors) {
  if (module.folder.empty()) return;
  std::vector<ckpt::TensorToWrite> own;
  for (const auto& tensor : tensors) {
    if (!tensor.name.starts_with(module.in_network)) continue;
    own.push_back(tensor);
    own.back().name.replace(0, module.in_network.size(), module.in_folder);
  }
  ckpt::write_safetensors((fs::path(output.file(module.folder)) / "model.safetensors").string(), own);
}

// The generator, as a model of its own.
void write_generator(OutputDirectory& output, const Config& config, const TokenizerFiles& tokenizer,
                     const nn::Params& params) {
  if (config.generator_heads == 0) return;
  const auto own = generator_of(config);
  std::vector<ckpt::TensorToWrite> tensors;
  const auto& entries = params.layout().entries();
  for (size_t place = 0; place < entries.size(); ++place) {
    const auto& name = entries[place].name;
    if (!is_in_generator(name, config)) continue;
    tensors.push_back({.name = is_of_generator(name) ? name.substr(kGeneratorPrefix.size()) : name,
                       .shape = entries[place].shape,
                       .data = std::as_bytes(params.tensor(place))});
  }
  save(output.file(std::string(kGenerator)), own, tokenizer, as_stored(own, std::move(tensors)));
}

void write_tokenizer(const TokenizerFiles& tokenizer,
                     const std::function<std::string(const std::string&)>& path) {
  for (const auto& [name, text] : tokenizer.others) write_file(path(name), text);
  if (!tokenizer.others.empty()) return;
  write_file(path("vocab.txt"), tokenizer.vocab);
  write_file(path("tokenizer_config.json"), tokenizer.settings);
  write_file(path("special_tokens_map.json"), tokenizer.special_tokens);
  if (tokenizer.json) write_file(path("tokenizer.json"), *tokenizer.json);
}

ckpt::WrittenFile write_files(OutputDirectory& output, const Config& config, const TokenizerFiles& tokenizer,
                              std::span<const ckpt::TensorToWrite> tensors, Dtype weights,
                              const ModuleFiles& modules) {
  write_tokenizer(tokenizer, [&](const std::string& name) { return output.file(name); });
  if (!config.type->words_only) write_file(output.file("config.json"), config_json(config, weights));
  modules.write(output);
  if (const auto& module = modules.trained(); module.has_tokenizer)
    write_tokenizer(tokenizer, [&](const std::string& name) {
      return (fs::path(output.file(module.folder)) / name).string();
    });
  return ckpt::write_safetensors(output.file("model.safetensors"), tensors);
}

}  // namespace

TokenizerFiles tokenizer_files(const text::Tokenizer& tokenizer, const std::string& source,
                               int64_t max_length) {
  if (tokenizer.config().model != text::ModelKind::wordpiece || !tokenizer.config().specials)
    return copied_files(tokenizer, source, max_length);
  const auto found = files_of(source);
  TokenizerFiles files;
  files.settings = settings_json(tokenizer, max_length);
  files.special_tokens = special_tokens_json(tokenizer.config());
  if (is_file(found.json)) {
    const auto json = text::load_vocab(found.json.string());
    if (same_subwords(json, tokenizer) && same_settings(json.config(), tokenizer.config()))
      files.json = read_text(found.json.string());
  }
  // The vocab.txt next to a tokenizer.json may be a different vocabulary.
  const bool vocab_is_meant =
      is_file(found.vocab) &&
      same_subwords(text::load_vocab(found.vocab.string(), tokenizer.config().compat), tokenizer);
  files.vocab = vocab_is_meant ? read_text(found.vocab.string()) : vocab_lines(tokenizer);
  return files;
}

void require_output(const std::string& directory, Existing existing, std::span<const std::string> besides) {
  OutputDirectory::clear_leftovers(directory, is_kept);
  const auto kind = kind_of(directory);
  if (kind == FileKind::absent) return;
  if (kind != FileKind::directory) throw Error(directory, ": is not a directory");
  auto names = names_in_directory(directory);
  const auto holds = [&](const char* name) { return std::ranges::find(names, name) != names.end(); };
  if (!holds("config.json") && !holds("modules.json")) {
    for (const auto& name : names) {
      if (std::ranges::find(besides, name) != besides.end()) continue;
      throw Error(directory, ": holds ", name, " and no model: expected a new or an empty directory");
    }
    return;
  }
  if (existing == Existing::replace) return;
  std::erase_if(names, [](const auto& name) {
    return !name.ends_with(".safetensors") && !name.ends_with(".bin") && name != "config.json" &&
           name != "modules.json";
  });
  throw Error(directory, ": holds a model (", listed(names, "and"), "): replace it with ", opt::force,
              ", or write to another directory");
}

bool is_in_model(const std::string& directory, const std::string& file) {
  const auto path = fs::weakly_canonical(file).lexically_relative(fs::weakly_canonical(directory));
  const auto first = path.empty() ? "" : path.begin()->string();
  return is_model_file(first) || (first == kGenerator && std::next(path.begin()) != path.end());
}

std::vector<std::string> files_of_model(const std::string& directory) {
  std::vector<std::string> names;
  if (!is_directory(directory)) return names;
  for (const auto& name : names_in_directory(directory)) {
    const auto path = (fs::path(directory) / name).string();
    if (!is_of_model(path)) continue;
    if (!is_directory(path)) {
      names.push_back(name);
    } else {
      for (const auto& inner : names_in_directory(path))
        if (is_file(path + "/" + inner)) names.push_back(name + "/" + inner);
    }
  }
  return names;
}

void save(const std::string& directory, const Config& config, const TokenizerFiles& tokenizer,
          std::span<const ckpt::TensorToWrite> tensors, Dtype weights, const ModuleFiles& modules) {
  std::vector<ckpt::TensorToWrite> of_model(tensors.begin(), tensors.end());
  std::erase_if(of_model, [](const auto& tensor) { return is_of_module(tensor.name); });
  OutputDirectory output(directory, is_kept);
  output.write([&] {
    write_files(output, config, tokenizer, of_model, weights, modules);
    write_trained(output, modules.trained(), tensors);
  });
  output.commit();
}

ckpt::WrittenFile save(OutputDirectory& output, const Config& config, const TokenizerFiles& tokenizer,
                       const nn::Params& params, const ModuleFiles& modules) {
  const auto tensors = saved_tensors(config, params);
  const auto written = write_files(output, config, tokenizer, tensors, Dtype::f32, modules);
  write_trained(output, modules.trained(), tensors);
  return written;
}

void save(const std::string& directory, const Config& config, const TokenizerFiles& tokenizer,
          const nn::Params& params, const ModuleFiles& modules,
          const std::function<void(OutputDirectory&)>& before) {
  const auto all = saved_tensors(config, params);
  auto of_model = all;
  std::erase_if(of_model,
                [](const auto& tensor) { return is_of_module(tensor.name) || is_of_generator(tensor.name); });
  OutputDirectory output(directory, is_kept);
  output.write([&] {
    write_files(output, config, tokenizer, of_model, Dtype::f32, modules);
    write_trained(output, modules.trained(), all);
    write_generator(output, config, tokenizer, params);
    if (before) before(output);
  });
  output.commit();
}

}  // namespace bert::model
