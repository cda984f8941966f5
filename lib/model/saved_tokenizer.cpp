#include "model/saved_tokenizer.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/error.h"
#include "base/file.h"
#include "json/json.h"

namespace bert::model {
namespace {

namespace fs = std::filesystem;

std::string_view word(bool value) { return value ? "true" : "false"; }

// `"key": "value"`
std::string member(std::string_view key, std::string_view value) {
  std::string text;
  json::append_string(text, key);
  json::append_string(text += ": ", value);
  return text;
}

std::string special_names(const text::TokenizerConfig& config) {
  return "  " + member("cls_token", config.cls) + ",\n  " + member("mask_token", config.mask) + ",\n  " +
         member("pad_token", config.pad) + ",\n  " + member("sep_token", config.sep) + ",\n  " +
         member("unk_token", config.unk) + "\n}\n";
}

// {"103": {"content": "[MASK]", …}, …} sorted by id, as transformers writes it.
std::string added_tokens(const text::Tokenizer& tokenizer) {
  std::map<int32_t, std::string> by_id;
  for (const auto& token : tokenizer.config().added) {
    const auto id = token.id >= 0 ? token.id : tokenizer.id(token.content);
    if (!id) continue;
    std::string text = "    \"" + std::to_string(*id) + "\": {\n      " + member("content", token.content);
    const auto flag = [&](std::string_view name, bool value) {
      text.append(",\n      \"").append(name).append("\": ").append(word(value));
    };
    flag("lstrip", token.lstrip);
    flag("normalized", token.normalized);
    flag("rstrip", token.rstrip);
    flag("single_word", token.single_word);
    flag("special", token.special);
    by_id[*id] = text + "\n    }";
  }
  std::string all;
  for (const auto& [id, text] : by_id) all += (all.empty() ? "{\n" : ",\n") + text;
  return all.empty() ? "{}" : all + "\n  }";
}

std::string settings_json(const text::Tokenizer& tokenizer, int64_t max_length) {
  const auto& config = tokenizer.config();
  const auto line = [](std::string_view key, std::string_view value) {
    return "  \"" + std::string(key) + "\": " + std::string(value) + ",\n";
  };
  return "{\n" + line("added_tokens_decoder", added_tokens(tokenizer)) +
         line("do_basic_tokenize", word(config.basic_tokenize)) +
         line("do_lower_case", word(config.lowercase)) +
         line("model_max_length", std::to_string(max_length)) +
         line("strip_accents", word(config.strip_accents)) +
         line("tokenize_chinese_chars", word(config.chinese_chars)) +
         line("tokenizer_class", "\"BertTokenizer\"") + special_names(config);
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

struct Source {
  fs::path vocab, json;
};

Source files_of(const std::string& source) {
  const fs::path path(source);
  if (is_directory(source)) return {path / "vocab.txt", path / "tokenizer.json"};
  if (path.extension() == ".json") return {path.parent_path() / "vocab.txt", path};
  return {path, path.parent_path() / "tokenizer.json"};
}

}  // namespace

TokenizerFiles tokenizer_files(const text::Tokenizer& tokenizer, const std::string& source,
                               int64_t max_length) {
  const auto found = files_of(source);
  TokenizerFiles files;
  files.settings = settings_json(tokenizer, max_length);
  files.special_tokens = "{\n" + special_names(tokenizer.config());
  if (is_file(found.json)) {
    const auto json = text::load_vocab(found.json.string());
    if (same_subwords(json, tokenizer) && same_settings(json.config(), tokenizer.config()))
      files.json = read_file(found.json.string());
  }
  // The vocab.txt next to a tokenizer.json may be a different vocabulary.
  const bool vocab_is_meant =
      is_file(found.vocab) &&
      same_subwords(text::load_vocab(found.vocab.string(), tokenizer.config().compat), tokenizer);
  files.vocab = vocab_is_meant ? read_file(found.vocab.string()) : vocab_lines(tokenizer);
  return files;
}

}  // namespace bert::model
