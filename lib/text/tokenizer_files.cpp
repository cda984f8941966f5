#include "text/tokenizer_files.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>

#include "base/download.h"
#include "base/error.h"
#include "base/file.h"
#include "json/json.h"
#include "json/utf8.h"
#include "text/characters.h"
#include "text/utf8.h"

namespace bert::text {
namespace {

// Opens the file if it exists.
std::optional<json::File> open_if_there(const std::string& directory, std::string_view name) {
  const std::string path = path_in(directory, name);
  if (kind_of(path) == FileKind::absent) return std::nullopt;
  return std::optional<json::File>(std::in_place, path);
}

std::string_view strip(std::string_view line, Compat compat) {
  while (!line.empty()) {
    const CodePoint last = decode_before(line, line.size());
    if (!is_white_space(last.value)) break;
    line.remove_suffix(last.size);
  }
  while (compat == Compat::google && !line.empty()) {
    const CodePoint first = decode(line.data());
    if (!is_white_space(first.value)) break;
    line.remove_prefix(first.size);
  }
  return line;
}

// The two forms of a special token: "[UNK]" or {"content": "[UNK]", ...}.
std::string token_content(const json::File& file, std::string_view key, const json::Value& json) {
  if (json.kind() == json::Value::Kind::string) return std::string(json.string());
  const std::optional<json::Value> content =
      json.kind() == json::Value::Kind::object ? json.find("content") : std::nullopt;
  if (!content || content->kind() != json::Value::Kind::string) {
    throw Error(file.path(), ": ", key, " is ", json.kind_name(),
                ", expected a string or an object with content");
  }
  return std::string(content->string());
}

// ["<x>", …] or {"x_token": "<x>", …}.
std::vector<json::Value> elements_of(const json::Value& tokens) {
  if (tokens.is_array()) return tokens.elements();
  std::vector<json::Value> values;
  if (tokens.kind() != json::Value::Kind::object) return values;
  for (const auto& [name, value] : tokens.members()) values.push_back(value);
  return values;
}

void read_special_names(const json::File& file, TokenizerConfig& config) {
  const std::array<std::pair<std::string_view, std::string*>, 5> names = {{{"unk_token", &config.unk},
                                                                           {"cls_token", &config.cls},
                                                                           {"sep_token", &config.sep},
                                                                           {"pad_token", &config.pad},
                                                                           {"mask_token", &config.mask}}};
  for (const auto& [key, name] : names) {
    if (const std::optional<json::Value> json = file.find(key)) *name = token_content(file, key, *json);
  }
}

// transformers writes 1e30 for "no limit".
std::optional<int64_t> length_in(const json::File& file) {
  constexpr double kNoLimit = 1e9;
  const double length = file.number("model_max_length", kNoLimit);
  return length >= 1 && length < kNoLimit ? std::optional(static_cast<int64_t>(length)) : std::nullopt;
}

void read_truncation_side(const json::File& file, TokenizerConfig& config) {
  if (!file.find("truncation_side")) return;
  const auto side = file.string("truncation_side");
  if (side != "left" && side != "right")
    throw Error(file.path(), ": truncation_side is ", json::in_quotes(side), ", expected left or right");
  config.truncate_left = side == "left";
}

// Without token types among its inputs, transformers gives all tokens type 0.
void read_inputs(const json::File& file, TokenizerConfig& config) {
  const auto inputs = file.find("model_input_names");
  if (!inputs) return;
  try {
    const auto names = inputs->elements();
    config.token_types =
        std::ranges::any_of(names, [](const auto& name) { return name.string() == "token_type_ids"; });
  } catch (const Error& error) {
    throw Error(file.path(), ": model_input_names ", error.what());
  }
}

std::string class_of(const json::File& file) { return file.string("tokenizer_class", "BertTokenizer"); }

// Classes in transformers that are BERT's tokenizer under another name. Other classes may have a vocab.txt
// too.
bool is_bert_class(const std::string& name) {
  static constexpr std::array kClasses = {"Bert",        "DistilBert", "Electra", "MobileBert",
                                          "ConvBert",    "LayoutLM",   "Lxmert",  "Funnel",
                                          "SqueezeBert", "RetriBert",  "MPNet"};
  return std::any_of(kClasses.begin(), kClasses.end(), [&](const std::string& family) {
    return name == family + "Tokenizer" || name == family + "TokenizerFast";
  });
}

void read_case(const json::File& file, TokenizerConfig& config) {
  config.lowercase = file.boolean("do_lower_case", true);
  config.strip_accents = file.boolean("strip_accents", config.lowercase);
  config.chinese_chars = file.boolean("tokenize_chinese_chars", true);
}

bool is_one_of_five(const std::string& token, const TokenizerConfig& config) {
  return token == config.unk || token == config.cls || token == config.sep || token == config.pad ||
         token == config.mask;
}

// {"NEW": 30522, ...}, the format used before added_tokens_decoder.
void read_added_tokens_json(const std::string& directory, TokenizerConfig& config) {
  const auto file = open_if_there(directory, "added_tokens.json");
  if (!file) return;
  for (const auto& [content, id] : file->root().members()) {
    const bool special = is_one_of_five(std::string(content), config);
    add_token({.content = std::string(content),
               .id = static_cast<int32_t>(file->integer(content)),
               .normalized = !special,
               .special = special},
              config);
  }
}

bool flag(const json::Value& object, std::string_view key, bool otherwise) {
  const std::optional<json::Value> found = object.find(key);
  return found && !found->is_null() ? found->boolean() : otherwise;
}

// {"103": {"content": "[MASK]", "lstrip": false, ...}, ...}
void read_added_tokens_decoder(const json::File& file, TokenizerConfig& config) {
  const std::optional<json::Value> decoder = file.find("added_tokens_decoder");
  if (!decoder) return;
  for (const auto& [key, json] : decoder->members()) {
    int32_t id = -1;
    std::from_chars(key.data(), key.data() + key.size(), id);
    try {
      if (id < 0) throw Error("is not an id");
      const bool special = flag(json, "special", false);
      add_token({.content = token_content(file, "content", json),
                 .id = id,
                 .single_word = flag(json, "single_word", false),
                 .lstrip = flag(json, "lstrip", false),
                 .rstrip = flag(json, "rstrip", false),
                 .normalized = flag(json, "normalized", !special),
                 .special = special},
                config);
    } catch (const Error& error) {
      throw Error(file.path(), ": added_tokens_decoder: ", key, ": ", error.what());
    }
  }
}

}  // namespace

std::string path_in(const std::string& directory, std::string_view name) {
  return (std::filesystem::path(directory) / name).string();
}

std::string family_of(const std::string& directory, std::string otherwise) {
  const auto file = open_if_there(directory, "tokenizer_config.json");
  std::string name = file ? file->string("tokenizer_class", "") : "";
  for (const std::string_view ending : {"Fast", "Tokenizer"})
    if (name.ends_with(ending)) name.resize(name.size() - ending.size());
  const bool says_nothing = name.empty() || name == "PreTrained" || name == "TokenizersBackend";
  if (!says_nothing) return name;
  static constexpr std::array<std::array<std::string_view, 2>, 5> kFamilies = {{{"xlm-roberta", "XLMRoberta"},
                                                                                {"camembert", "Camembert"},
                                                                                {"albert", "Albert"},
                                                                                {"roberta", "Roberta"},
                                                                                {"mpnet", "MPNet"}}};
  const auto model = open_if_there(directory, "config.json");
  const std::string type = model ? model->string("model_type", "") : "";
  for (const auto& [model_type, family] : kFamilies)
    if (model_type == type) return std::string(family);
  return otherwise;
}

void use_roberta_names(TokenizerConfig& config) {
  config.unk = "<unk>";
  config.cls = "<s>";
  config.sep = "</s>";
  config.pad = "<pad>";
  config.mask = "<mask>";
  config.layout = {.separators = 2, .second_type = 0};
}

void use_mpnet_names(TokenizerConfig& config) {
  use_roberta_names(config);
  config.unk = "[UNK]";
}

void add_token(AddedToken token, TokenizerConfig& config) {
  const auto same = std::find_if(config.added.begin(), config.added.end(),
                                 [&](const AddedToken& other) { return other.content == token.content; });
  if (same == config.added.end()) {
    config.added.push_back(std::move(token));
  } else {
    *same = std::move(token);
  }
}

std::vector<std::string> read_vocab_txt(const std::string& path, Compat compat) {
  const std::string content = read_text(path);
  refuse_failed_download(path, content);
  refuse_gzip(path, content);
  std::vector<std::string> subwords;
  subwords.reserve(std::count(content.begin(), content.end(), '\n') + 1);
  for (std::string_view rest = content; !rest.empty();) {
    const size_t size = rest.find('\n');
    const std::string_view line = rest.substr(0, size);
    rest.remove_prefix(size == std::string_view::npos ? rest.size() : size + 1);
    if (!json::is_utf8(line)) throw Error(path, ":", subwords.size() + 1, ": is not valid UTF-8");
    subwords.emplace_back(strip(line, compat));
  }
  if (subwords.empty()) throw Error(path, ": is empty, expected one token per line");
  return subwords;
}

std::optional<int64_t> model_max_length(const std::string& directory) {
  const auto file = open_if_there(directory, "tokenizer_config.json");
  return file ? length_in(*file) : std::nullopt;
}

void read_names_and_settings(const std::string& directory, TokenizerConfig& config) {
  if (const auto map = open_if_there(directory, "special_tokens_map.json")) read_special_names(*map, config);
  const auto file = open_if_there(directory, "tokenizer_config.json");
  if (!file) return;
  read_special_names(*file, config);
  config.model_max_length = length_in(*file);
  read_truncation_side(*file, config);
  read_inputs(*file, config);
  if (file->boolean("split_special_tokens", false))
    throw Error(file->path(), ": split_special_tokens is true, which is not supported");
}

void read_case(const std::string& directory, TokenizerConfig& config) {
  const auto file = open_if_there(directory, "tokenizer_config.json");
  if (file && file->find("do_lower_case") && is_bert_class(class_of(*file))) read_case(*file, config);
}

void read_more_special_tokens(const std::string& directory, TokenizerConfig& config) {
  for (const auto* name : {"special_tokens_map.json", "tokenizer_config.json"}) {
    const auto file = open_if_there(directory, name);
    for (const auto* key : {"additional_special_tokens", "extra_special_tokens"}) {
      const auto tokens = file ? file->find(key) : std::nullopt;
      for (const auto& token : tokens ? elements_of(*tokens) : std::vector<json::Value>()) {
        const auto content = token_content(*file, key, token);
        const bool known =
            std::ranges::find(config.added, content, &AddedToken::content) != config.added.end();
        if (!known) add_token({.content = content}, config);
      }
    }
  }
}

void read_added_tokens(const std::string& directory, TokenizerConfig& config) {
  read_added_tokens_json(directory, config);
  if (const auto file = open_if_there(directory, "tokenizer_config.json"))
    read_added_tokens_decoder(*file, config);
}

void read_tokenizer_config(const std::string& directory, TokenizerParts& parts) {
  auto& config = parts.config;
  parts.appends_specials = family_of(directory, "") == kMPNet;
  if (parts.appends_specials) {
    use_mpnet_names(config);
    config.trim_offsets = TrimOffsets{.add_prefix_space = false};
  }
  read_names_and_settings(directory, config);
  for (const std::string& token : {config.unk, config.cls, config.sep, config.pad, config.mask})
    add_token({.content = token, .lstrip = parts.appends_specials && token == config.mask}, config);
  read_added_tokens(directory, config);
  const auto file = open_if_there(directory, "tokenizer_config.json");
  if (!file) return read_more_special_tokens(directory, config);
  if (!is_bert_class(class_of(*file)))
    throw Error(file->path(), ": tokenizer_class is ", class_of(*file),
                "; only BertTokenizer and its variants are supported");
  read_case(*file, config);
  config.basic_tokenize = file->boolean("do_basic_tokenize", true);
  read_more_special_tokens(directory, config);
}

}  // namespace bert::text
