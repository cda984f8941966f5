// A tokenizer of single letters for tests: ids are easy to read, and a text of n letters has n tokens.
#pragma once

#include <string>
#include <vector>

#include "text/tokenizer.h"

namespace bert::features {

// [PAD] 0, [UNK] 1, [CLS] 2, [SEP] 3, [MASK] 4, a 5 … z 30, ##a 31 … ##z 56
inline text::Tokenizer letters(text::TokenizerConfig config = {}) {
  std::vector<std::string> subwords{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"};
  for (const std::string prefix : {"", "##"})
    for (char letter = 'a'; letter <= 'z'; ++letter) subwords.push_back(prefix + letter);
  return text::Tokenizer(std::move(subwords), std::move(config), "letters");
}

}  // namespace bert::features
