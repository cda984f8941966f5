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
  object.integer("model_max_length", max_length);
  object.boolean("strip_accents", config.strip_accents);
  object.boolean("tokenize_chinese_chars", config.chinese_chars);
  object.string("tokenizer_class", "BertTokenizer");
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
  files.special_tokens = special_tokens_json(tokenizer.config());
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
