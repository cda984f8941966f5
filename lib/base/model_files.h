// Names of the files of a model, as Hugging Face's libraries have them.
#pragma once

#include <algorithm>
#include <iterator>
#include <string_view>

namespace bert {

inline constexpr std::string_view kTokenizerFiles[] = {"tokenizer.json",
                                                       "tokenizer_config.json",
                                                       "special_tokens_map.json",
                                                       "added_tokens.json",
                                                       "vocab.txt",
                                                       "vocab.json",
                                                       "merges.txt",
                                                       "spiece.model",
                                                       "sentencepiece.bpe.model",
                                                       "spm.model"};

inline bool is_tokenizer_file(std::string_view name) {
  return std::ranges::find(kTokenizerFiles, name) != std::end(kTokenizerFiles);
}

// Of the transformer, or of sentence-transformers: sentence_bert_config.json, sentence_roberta_config.json.
inline bool is_settings_file(std::string_view name) {
  return name == "config.json" || name == "modules.json" || name == "config_sentence_transformers.json" ||
         (name.starts_with("sentence_") && name.ends_with("_config.json"));
}

}  // namespace bert
