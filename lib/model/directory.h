// A model directory as a tool sees it: where things are and what the files say about their use.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/config.h"
#include "model/sentence_transformers.h"

namespace bert::model {

struct Directory {
  std::string path;  // as given
  std::string
      transformer;  // holds config.json, the weights and the tokenizer's files: `path` or a folder in it
  Config config;    // a cross-encoder's settings of any of the files are in it
  SentenceTransformer sentence;  // how hidden states become one vector; prompts

  // The longest sequence in tokens, specials included: the least of positions, max_seq_length and, when the
  // tokenizer's files set one, `model_max_length`.
  int64_t max_length(std::optional<int64_t> model_max_length) const;

  // Numbers in a sentence vector after pooling by `modes` vectors and all modules.
  int64_t vector_size(int64_t modes) const;
};

// Error, in one line, when there is no such directory, its weights are in a form that cannot be read, or a
// file says something that is not computed. Opens no weights but those of Dense modules; the tokenizer is the
// caller's to load, from `transformer`.
Directory open_directory(const std::string& path);

}  // namespace bert::model
