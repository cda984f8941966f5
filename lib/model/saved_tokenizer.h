// The files by which a tokenizer goes with a model.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "text/tokenizer.h"

namespace bert::model {

// Their texts.
struct TokenizerFiles {
  std::string vocab;                // vocab.txt
  std::string settings;             // tokenizer_config.json
  std::string special_tokens;       // special_tokens_map.json
  std::optional<std::string> json;  // tokenizer.json
};

// Those of `tokenizer`, which was loaded from `source`: a model directory, a vocab.txt or a tokenizer.json.
// vocab.txt and tokenizer.json are what stands there, to the byte; tokenizer.json only if it means this very
// tokenizer (--uncased or another vocabulary may have been asked for). `max_length` becomes model_max_length.
// A run that will last calls this at its beginning: the source may change.
TokenizerFiles tokenizer_files(const text::Tokenizer& tokenizer, const std::string& source,
                               int64_t max_length);

}  // namespace bert::model
