// The files that a tokenizer is saved in, each read into the same two things.
#pragma once

#include <string>
#include <vector>

#include "text/tokenizer.h"

namespace bert::text {

// Ids may leave gaps behind the pieces, but a slip in a file must not cost gigabytes.
constexpr size_t kMaxIdGap = 1 << 20;

struct TokenizerParts {
  std::vector<std::string> pieces;  // by id
  TokenizerConfig config;
};

// The whole tokenizer as Hugging Face's tokenizers library saves it. What we would compute otherwise is an
// Error that names it.
TokenizerParts read_tokenizer_json(const std::string& path);

// A later entry for the same token replaces an earlier one.
void add_token(AddedToken token, TokenizerConfig& config);

// One piece a line. Google strips white space on both sides, Hugging Face at the end.
std::vector<std::string> read_vocab_txt(const std::string& path, Compat compat);

// tokenizer_config.json, special_tokens_map.json and added_tokens.json of `directory`, those that exist, into
// the settings of a tokenizer that has no tokenizer.json.
void read_tokenizer_config(const std::string& directory, TokenizerConfig& config);

// What tokenizer.json does not say and those files do: names of special tokens and the model's maximal
// length.
void read_names_and_length(const std::string& directory, TokenizerConfig& config);

}  // namespace bert::text
