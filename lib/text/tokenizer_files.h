// Reads the file formats of a saved tokenizer.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "json/json.h"
#include "text/composition.h"
#include "text/tokenizer.h"

namespace bert::text {

// Ids beyond the vocabulary may leave gaps, but an error in a file must not allocate gigabytes.
constexpr size_t kMaxIdGap = 1 << 20;

struct TokenizerParts {
  std::vector<std::string> subwords;  // by id
  TokenizerConfig config;
  std::optional<Composition> composition;  // nullopt: WordPiece
  // Special tokens that the vocabulary lacks have the ids after it, as in transformers.
  bool appends_specials = false;
};

class Block;

// A vocabulary {"token": id, ...} of a model block, and alone.
std::vector<std::string> read_ids(const json::File& file, const Block& model);
std::vector<std::string> ids_of(const json::Value& vocab);

// "a b" as a pair. Throws Error for anything else.
std::pair<std::string, std::string> merge_of(std::string_view text);

// Reads normalizer, pre_tokenizer, decoder and model, whose type is Unigram or BPE.
void read_composition(const json::File& file, const std::string& type, TokenizerParts& parts);

// The path of a file of a tokenizer, and the directory that it is in.
std::string path_in(const std::string& directory, std::string_view name);
std::string directory_of(const std::string& path);

// A complete tokenizer as saved by Hugging Face's tokenizers library. An Error names any setting that is not
// supported.
TokenizerParts read_tokenizer_json(const std::string& path, const ModelSettings& settings = {});

// A later entry for the same token replaces an earlier one.
void add_token(AddedToken token, TokenizerConfig& config);

// One token per line. Google strips white space on both sides, Hugging Face only at the end.
std::vector<std::string> read_vocab_txt(const std::string& path, Compat compat);

// The tokenizer's class in transformers without its ending: "XLMRoberta" of tokenizer_config.json's
// XLMRobertaTokenizerFast, if it is that of a model, else of config.json's model_type, else `otherwise`.
std::string family_of(const std::string& directory, std::string otherwise);
constexpr std::string_view kMPNet = "MPNet";  // WordPiece with the layout and most names of RoBERTa

// The usual special tokens and their layout.
void use_roberta_names(TokenizerConfig& config);
void use_mpnet_names(TokenizerConfig& config);

// Reads tokenizer_config.json, special_tokens_map.json and added_tokens.json of `directory`, if they exist,
// for a tokenizer without tokenizer.json.
void read_tokenizer_config(const std::string& directory, TokenizerParts& parts);

// Reads what tokenizer.json does not contain, or what overrides it: names of special tokens, the model's
// maximum length, the side of truncation, and whether there are token types.
void read_names_and_settings(const std::string& directory, TokenizerConfig& config);

// The SentencePiece model of a directory, else its vocab.json if it has merges.txt, too; nullopt if there is
// neither.
std::optional<std::string> find_subword_file(const std::string& directory);
// Reads a SentencePiece model, or a vocab.json with merges.txt, and the settings beside it.
TokenizerParts read_subword_file(const std::string& path);

// Reads the tokens in added_tokens.json and in tokenizer_config.json's added_tokens_decoder.
void read_added_tokens(const std::string& directory, TokenizerConfig& config);

// Adds the special tokens that only additional_special_tokens names.
void read_more_special_tokens(const std::string& directory, TokenizerConfig& config);

// Reads the settings of case, accents and Chinese characters of tokenizer_config.json, if it has that of
// case.
void read_case(const std::string& directory, TokenizerConfig& config);

}  // namespace bert::text
