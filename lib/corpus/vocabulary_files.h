// The files of a learned tokenizer.
#pragma once

#include <span>
#include <string>

#include "text/composition.h"
#include "text/tokenizer.h"

namespace bert::corpus {

// tokenizer.json of byte-level BPE or Unigram, as RoBERTa and XLM-R have it. `subwords` by id, with <s> <pad>
// </s> <unk> <mask> among them; the composition has what composition_to_learn() gives, and the model.
std::string tokenizer_json(std::span<const std::string> subwords, const text::Composition& composition);

// tokenizer_config.json, which Hugging Face and this project read next to the vocabulary.
std::string tokenizer_config_json(const text::TokenizerConfig& config);

}  // namespace bert::corpus
