// A model directory as a tool sees it: where things are and what the files say about their use.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/config.h"
#include "model/sentence_transformers.h"

namespace bert::model {

struct Directory {
  std::string root;  // as given
  std::string path;  // holds the configuration, the weights and the tokenizer's files: `root`, or a folder in
                     // it ("0_BERT")
  Config config;     // a cross-encoder's settings of any of the files are in it
  SentenceTransformer sentence;  // how hidden states become one vector; prompts

  // The longest sequence in tokens, specials included: the least of positions, sentence-transformers'
  // max_seq_length and model_max_length of tokenizer_config.json, where these are set.
  int64_t max_length = 512;

  // Numbers in a sentence vector after pooling by `modes` vectors and all modules.
  int64_t vector_size(int64_t modes) const;
};

// Error, in one line, when there is no such directory, its weights are in a form that cannot be read, or a
// file says something that is not computed. Opens no weights but those of Dense modules; the network's and
// the tokenizer are the caller's to load, from `path`. `activation`, a name that activation_named knows, goes
// before what the configuration says of the encoder; empty: nothing does.
Directory open_directory(const std::string& path, std::string_view activation = {});

}  // namespace bert::model
