// A model directory: its paths, configuration and sentence-transformers settings.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/config.h"
#include "model/sentence_transformers.h"
#include "text/tokenizer.h"

namespace bert {
class Log;
}

namespace bert::model {

struct Directory {
  std::string root;  // as given
  std::string path;  // directory of configuration, weights and tokenizer: `root` or a folder in it ("0_BERT")
  Config config;     // includes cross-encoder settings, from whichever file has them
  SentenceTransformer sentence;  // pooling, modules after it, prompts

  // Maximum sequence length in tokens, special tokens included: max_seq_length (sentence-transformers), else
  // model_max_length (tokenizer_config.json), at most `positions`.
  int64_t max_length = 512;

  // Length of a sentence vector after pooling with `modes` modes and after all modules.
  int64_t vector_size(int64_t modes) const;
};

// Throws a one-line Error if the directory does not exist, its weights are in an unsupported format, or a
// file asks for something unsupported. Reads no weights except those of Dense modules; the caller loads the
// network and the tokenizer from `path`. A nonempty `activation`, a name known to activation_named, overrides
// the encoder activation of the configuration.
Directory open_directory(const std::string& path, std::string_view activation = {});

// The tokenizer of an open model directory.
text::Tokenizer load_tokenizer(const Directory& directory, text::Case override_case = text::Case::from_files);

// Compares the sizes of a tokenizer and of its model's embedding matrix. More tokens are an Error, since the
// matrix has no row for them; except tokens that were added to the tokenizer, which few texts have. Fewer are
// usual: the matrix may be padded to a multiple of 8 or 64, and [unused] rows may have no token. Less than
// 90 % of the rows are neither, so that is noted: the vocabulary is likely of another model.
void check_vocabulary(const Directory& directory, const text::Tokenizer& tokenizer, Log& log);

// Notes a label that has another id in label2id of config.json than in id2label, whose ids are used, as in
// transformers.
void check_labels(const Directory& directory, Log& log);

// The same for a directory that needs no weights and no configuration.
text::Tokenizer load_tokenizer(const std::string& path, text::Compat compat, text::Case override_case);

}  // namespace bert::model
