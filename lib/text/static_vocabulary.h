// The vocabulary of a table of static vectors that is made from a model, and its tokenizer.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "text/tokenizer.h"

namespace bert::text {

struct StaticVocabulary {
  std::vector<std::vector<int32_t>> ids;  // of each token, as the model reads it, without special tokens
  std::string tokenizer_json;
};

// The tokens of `tokenizer`, which was loaded from `directory`, or, if `file` is not empty, those that it
// lists, one per line. For WordPiece, `file` may have words that the model lacks: the model reads their
// subword tokens. Without `file`, WordPiece loses the tokens that texts do not have, such as [CLS], [MASK]
// and [unused7]. Throws Error for words that the tokenizer would change or split, and for those of other
// kinds.
StaticVocabulary static_vocabulary(const Tokenizer& tokenizer, const std::string& directory,
                                   const std::string& file);

}  // namespace bert::text
