// Writes a model as a Hugging Face directory: config.json, tokenizer files, model.safetensors.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/output_directory.h"
#include "ckpt/safetensors_writer.h"
#include "model/config.h"
#include "model/module_files.h"
#include "nn/params.h"
#include "text/tokenizer.h"

namespace bert::model {

// Contents of the tokenizer files: those of WordPiece, or files of other tokenizers by name.
struct TokenizerFiles {
  std::string vocab;                // vocab.txt
  std::string settings;             // tokenizer_config.json
  std::string special_tokens;       // special_tokens_map.json
  std::optional<std::string> json;  // tokenizer.json
  std::vector<std::pair<std::string, std::string>> others;
};

// Files for `tokenizer`, which was loaded from `source` (a model directory, vocab.txt or tokenizer.json).
// vocab.txt and tokenizer.json are copied byte for byte; tokenizer.json only if it describes this same
// tokenizer, since --uncased or another vocabulary may be in use. Other tokenizers than WordPiece are copied,
// too, except for model_max_length. `max_length` becomes model_max_length. Long runs call this at the start,
// because the source may change.
TokenizerFiles tokenizer_files(const text::Tokenizer& tokenizer, const std::string& source,
                               int64_t max_length);

enum class Existing { refuse, replace };  // what to do about a model in the output directory

// Throws Error unless a model may be written to `directory`. It may be absent, empty, contain only entries
// named in `besides`, or, with Existing::replace, a model. First cleans up after killed runs. Call
// this before long work.
void require_output(const std::string& directory, Existing existing,
                    std::span<const std::string> besides = {});

// Writes the directory so that it only appears when complete. An existing model is replaced, atomically if
// the file system supports it (base/output_directory.h): its configuration, its weights in any format, its
// tokenizer and the files of sentence-transformers are removed, all other files are kept. `weights` is the
// format recorded in config.json.
void save(const std::string& directory, const Config& config, const TokenizerFiles& tokenizer,
          std::span<const ckpt::TensorToWrite> tensors, Dtype weights = Dtype::f32,
          const ModuleFiles& modules = {});
// Whether it would replace the file, which may not exist yet.
bool is_in_model(const std::string& directory, const std::string& file);
// The files that it would remove or replace, folders included; sorted. None if the directory does not exist.
std::vector<std::string> files_of_model(const std::string& directory);
// What ModuleFiles::trained() has goes to the folder of that module, and a generator
// (Config::generator_heads) to the folder kGenerator, as a model of its own. `before` is called with the
// complete model before it gets its name, and may add files.
void save(const std::string& directory, const Config& config, const TokenizerFiles& tokenizer,
          const nn::Params& params, const ModuleFiles& modules = {},
          const std::function<void(OutputDirectory& output)>& before = {});
// The same for a directory that the caller completes and commits: a checkpoint, whose model.safetensors also
// has that and the generator. Returns what model.safetensors is.
ckpt::WrittenFile save(OutputDirectory& output, const Config& config, const TokenizerFiles& tokenizer,
                       const nn::Params& params, const ModuleFiles& modules = {});

}  // namespace bert::model
