#include "text/static_vocabulary.h"

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "base/file.h"
#include "json/json.h"
#include "text/tokenizer_files.h"
#include "text/vocabulary_cut.h"

namespace bert::text {
namespace {

// [unused0] to [unused993] are rows that BERT was never trained with.
bool is_unused(std::string_view token) { return token.starts_with("[unused") && token.ends_with("]"); }

std::vector<std::string> tokens_of_texts(const Tokenizer& tokenizer) {
  std::vector<std::string> tokens;
  for (int32_t id = 0; id < tokenizer.size(); ++id) {
    const std::string token(tokenizer.subword(id));
    const bool named = token == tokenizer.config().unk || token == tokenizer.config().pad;
    if (token.empty() || is_unused(token) || (tokenizer.is_special(id) && !named)) continue;
    tokens.push_back(token);
  }
  return tokens;
}

// WordPiece without special tokens around a text.
TokenizerConfig plain_config(const TokenizerConfig& source, std::span<const std::string> tokens) {
  auto config = source;
  config.specials = false;
  config.given_cls = config.given_sep = std::nullopt;
  config.truncation = std::nullopt;
  config.added.clear();
  for (const auto& name : {source.pad, source.unk})
    if (std::ranges::find(tokens, name) != tokens.end()) config.added.push_back({.content = name});
  return config;
}

void append_normalizer(std::string& out, const TokenizerConfig& config) {
  json::Object object(out);
  object.string("type", "BertNormalizer");
  object.boolean("clean_text", config.clean_text);
  object.boolean("handle_chinese_chars", config.chinese_chars);
  object.boolean("strip_accents", config.strip_accents);
  object.boolean("lowercase", config.lowercase);
  object.end();
}

void append_added(std::string& out, const Tokenizer& tokenizer) {
  json::append_array(out, tokenizer.config().added, [&](std::string& list, const AddedToken& token) {
    json::Object object(list);
    object.integer("id", tokenizer.id(token.content).value());
    object.string("content", token.content);
    for (const auto* flag : {"single_word", "lstrip", "rstrip", "normalized"}) object.boolean(flag, false);
    object.boolean("special", true);
    object.end();
  });
}

void append_model(std::string& out, const Tokenizer& tokenizer) {
  const auto& config = tokenizer.config();
  json::Object object(out);
  object.string("type", "WordPiece");
  object.string("unk_token", config.unk);
  object.string("continuing_subword_prefix", config.prefix);
  object.integer("max_input_chars_per_word", config.max_word_chars);
  json::Object vocab(object.key("vocab"));
  for (int32_t id = 0; id < tokenizer.size(); ++id) vocab.integer(tokenizer.subword(id), id);
  vocab.end();
  object.end();
}

std::string wordpiece_json(const Tokenizer& tokenizer) {
  const auto& config = tokenizer.config();
  std::string text;
  json::Object object(text, 0);
  object.string("version", "1.0");
  object.null("truncation");
  object.null("padding");
  append_added(object.key("added_tokens"), tokenizer);
  append_normalizer(object.key("normalizer"), config);
  object.key("pre_tokenizer") += R"({"type":"BertPreTokenizer"})";
  object.null("post_processor");
  json::Object decoder(object.key("decoder"));
  decoder.string("type", "WordPiece");
  decoder.string("prefix", config.prefix);
  decoder.boolean("cleanup", config.decode_cleanup);
  decoder.end();
  append_model(object.key("model"), tokenizer);
  object.end();
  return text + "\n";
}

// Words of the new vocabulary that `tokenizer`, which has it, does not find as they are.
void refuse_unreachable(const std::string& file, const std::vector<std::string>& words,
                        const Tokenizer& tokenizer) {
  std::vector<std::string> split;
  for (const auto& word : words) {
    Tokens tokens;
    tokenizer.encode(word, {}, tokens);
    if (tokens.ids != std::vector{tokenizer.id(word).value()}) split.push_back(word);
  }
  if (!split.empty())
    throw Error(file, ": has ", counted(split.size(), "word", "words"),
                " that the tokenizer changes or splits: ", first_names(split));
}

StaticVocabulary of_wordpiece(const Tokenizer& tokenizer, const std::string& directory,
                              const std::string& file) {
  if (!tokenizer.config().basic_tokenize)
    throw Error(directory,
                ": the tokenizer splits texts at white space alone, which no tokenizer.json can say");
  const auto tokens = file.empty() ? tokens_of_texts(tokenizer) : read_tokens(file);
  const auto name = file.empty() ? directory : file;
  const Tokenizer plain(tokens, plain_config(tokenizer.config(), tokens), name);
  StaticVocabulary vocabulary;
  std::vector<std::string> words;
  for (const auto& token : tokens) {
    const auto id = tokenizer.id(token);
    auto& ids = vocabulary.ids.emplace_back();
    if (id) {
      ids = {*id};
      continue;
    }
    Tokens pieces;
    tokenizer.encode(token, {}, pieces);
    ids = std::move(pieces.ids);
    words.push_back(token);
  }
  refuse_unreachable(name, words, plain);
  vocabulary.tokenizer_json = wordpiece_json(plain);
  return vocabulary;
}

// Unigram and BPE keep the tokens of their model.
StaticVocabulary of_composed(const Tokenizer& tokenizer, const std::string& directory,
                             const std::string& file) {
  const auto path = path_in(directory, "tokenizer.json");
  if (!is_file(path))
    throw Error(directory,
                ": has no tokenizer.json, which a static model needs; save the tokenizer with "
                "transformers, which writes it");
  auto text = read_text(path);
  StaticVocabulary vocabulary;
  std::vector<int32_t> kept(tokenizer.size());
  std::iota(kept.begin(), kept.end(), 0);
  if (!file.empty()) {
    const VocabularyCut cut(file, tokenizer, tokenizer.size());
    kept.assign(cut.kept().begin(), cut.kept().end());
    text = cut_tokenizer_json(path, text, cut);
  }
  for (const int32_t id : kept) vocabulary.ids.push_back({id});
  vocabulary.tokenizer_json = without_lengths(path, text);
  return vocabulary;
}

}  // namespace

StaticVocabulary static_vocabulary(const Tokenizer& tokenizer, const std::string& directory,
                                   const std::string& file) {
  const bool wordpiece = tokenizer.config().model == ModelKind::wordpiece;
  return wordpiece ? of_wordpiece(tokenizer, directory, file) : of_composed(tokenizer, directory, file);
}

}  // namespace bert::text
