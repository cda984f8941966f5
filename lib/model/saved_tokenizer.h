// The tokenizer files of a model directory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "text/tokenizer.h"

namespace bert::model {

// File contents.
struct TokenizerFiles {
  std::string vocab;                // vocab.txt
  std::string settings;             // tokenizer_config.json
  std::string special_tokens;       // special_tokens_map.json
  std::optional<std::string> json;  // tokenizer.json
};

// Files for `tokenizer`, which was loaded from `source` (a model directory, vocab.txt or tokenizer.json).
// vocab.txt and tokenizer.json are copied byte for byte; tokenizer.json only if it describes this same
// tokenizer, since --uncased or another vocabulary may be in use. `max_length` becomes model_max_length. Long
// runs call this at the start, because the source may change.
TokenizerFiles tokenizer_files(const text::Tokenizer& tokenizer, const std::string& source,
                               int64_t max_length);

}  // namespace bert::model
