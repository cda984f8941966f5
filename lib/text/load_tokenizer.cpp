#include <algorithm>
#include <array>
#include <utility>

#include "base/error.h"
#include "base/file.h"
#include "text/tokenizer.h"
#include "text/tokenizer_files.h"

namespace bert::text {
namespace {

// tokenizer.json names only the special tokens it uses itself. The other ones, the maximum length and
// settings that override its own are in the files beside it.
TokenizerParts read_json(const std::string& path, const std::string& directory, const ModelSettings& model) {
  TokenizerParts parts = read_tokenizer_json(path, model);
  TokenizerConfig beside;
  beside.truncate_left = parts.config.truncate_left;
  if (family_of(directory, "") == kMPNet) use_mpnet_names(beside);
  read_names_and_settings(directory, beside);
  if (parts.composition && parts.config.unk.empty()) parts.config.unk = beside.unk;
  parts.config.pad = beside.pad;
  parts.config.mask = beside.mask;
  parts.config.model_max_length = beside.model_max_length;
  parts.config.truncate_left = beside.truncate_left;
  parts.config.token_types = beside.token_types;
  read_case(directory, parts.config);
  read_more_special_tokens(directory, parts.config);
  return parts;
}

// Reads the settings of a directory, and the vocabulary if there is a tokenizer.json.
TokenizerParts read_directory(const std::string& directory, const ModelSettings& model) {
  const std::string json = path_in(directory, "tokenizer.json");
  if (kind_of(json) != FileKind::absent) return read_json(json, directory, model);
  TokenizerParts parts;
  read_tokenizer_config(directory, parts);
  return parts;
}

void read_vocabulary(const std::string& path, Compat compat, TokenizerParts& parts) {
  parts.subwords = read_vocab_txt(path, compat);
  if (!parts.appends_specials) return;
  TokenizerConfig& config = parts.config;
  auto next = static_cast<int32_t>(parts.subwords.size());
  for (const auto& name : {config.cls, config.sep, config.unk, config.pad, config.mask}) {
    const auto token = std::ranges::find(config.added, name, &AddedToken::content);
    const bool known = std::ranges::find(parts.subwords, name) != parts.subwords.end();
    if (!known && token->id < 0) token->id = next++;
  }
}

// Special tokens that no file names are <pad>, <mask> and so on if the vocabulary has these.
void name_specials(TokenizerParts& parts) {
  const auto has = [&](const std::string& token) {
    return std::ranges::find(parts.subwords, token) != parts.subwords.end() ||
           std::ranges::find(parts.config.added, token, &AddedToken::content) != parts.config.added.end();
  };
  TokenizerConfig& config = parts.config;
  if (config.unk.empty()) config.unk = TokenizerConfig().unk;
  const std::array<std::pair<std::string*, const char*>, 5> names = {{{&config.unk, "<unk>"},
                                                                      {&config.cls, "<s>"},
                                                                      {&config.sep, "</s>"},
                                                                      {&config.pad, "<pad>"},
                                                                      {&config.mask, "<mask>"}}};
  for (const auto& [name, usual] : names)
    if (!has(*name) && has(usual)) *name = usual;
}

// Adds the tokens that texts may begin with, or changes them to be found in texts as they are.
void add_marks(TokenizerParts& parts, const std::vector<std::string>& marks) {
  auto& added = parts.config.added;
  for (const auto& mark : marks) {
    for (const auto& content : {mark, mark.substr(0, mark.find(' '))}) {
      const auto known = std::ranges::find(added, content, &AddedToken::content);
      if (known != added.end()) {
        known->special = true;
        known->normalized = false;
        break;
      }
      if (content.empty() || std::ranges::find(parts.subwords, content) == parts.subwords.end()) continue;
      added.push_back({.content = content});
      break;
    }
  }
}

Tokenizer make(TokenizerParts parts, Compat compat, Case override_case, const std::string& name,
               const ModelSettings& model = {}) {
  constexpr int kGoogleMaxWordChars = 200;
  if (compat == Compat::google) parts.config.max_word_chars = kGoogleMaxWordChars;
  parts.config.lowercase |= model.lowercase;
  if (override_case != Case::from_files) {
    parts.config.lowercase = parts.config.strip_accents = override_case == Case::uncased;
  }
  if (parts.config.truncation && model.max_length)
    parts.config.truncation = Truncation{.max_length = *model.max_length, .of_model = true};
  parts.config.compat = compat;
  add_marks(parts, model.marks);
  if (parts.composition) {
    if (compat == Compat::google) throw Error(name, ": only WordPiece has the rules of Google");
    if (override_case != Case::from_files)
      throw Error(name, ": only WordPiece can change how it treats case");
    if (model.lowercase)
      throw Error(name, ": only WordPiece can lowercase what the model's settings ask for");
    name_specials(parts);
    return {std::move(parts.subwords), std::move(parts.config), *std::move(parts.composition), name};
  }
  return {std::move(parts.subwords), std::move(parts.config), name};
}

}  // namespace

Tokenizer load_tokenizer(const std::string& directory, Compat compat, Case override_case,
                         const ModelSettings& model) {
  if (kind_of(directory) == FileKind::absent) throw Error(directory, ": no such model directory");
  const std::string json = path_in(directory, "tokenizer.json"), vocab = path_in(directory, "vocab.txt");
  if (kind_of(json) == FileKind::absent && kind_of(vocab) == FileKind::absent) {
    if (const auto found = find_subword_file(directory))
      return make(read_subword_file(*found), compat, override_case, directory, model);
    throw Error(directory, ": there is neither tokenizer.json nor vocab.txt");
  }
  TokenizerParts parts = read_directory(directory, model);
  if (!parts.subwords.empty()) return make(std::move(parts), compat, override_case, json, model);
  read_vocabulary(vocab, compat, parts);
  return make(std::move(parts), compat, override_case, vocab, model);
}

Tokenizer load_vocab(const std::string& file, Compat compat, Case override_case) {
  if (file == "-") throw Error("-: is stdin, but the vocabulary must be a file");
  if (is_directory(file)) return load_tokenizer(file, compat, override_case);
  const std::string directory = directory_of(file);
  const auto kind = vocabulary_file(file);
  TokenizerParts parts;
  if (kind.name == "tokenizer.json") {
    parts = read_json(file, directory, {});
  } else if (kind.name != "vocab.txt") {
    parts = read_subword_file(file);
  } else {
    parts = read_directory(directory, {});
    read_vocabulary(file, compat, parts);
    parts.config.given_cls = parts.config.given_sep = std::nullopt;  // these ids refer to another vocabulary
  }
  return make(std::move(parts), compat, override_case, file);
}

}  // namespace bert::text
