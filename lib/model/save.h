// Writing a model as a Hugging Face directory: config.json, the tokenizer's files, model.safetensors.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ckpt/safetensors_writer.h"
#include "model/config.h"
#include "nn/params.h"
#include "text/tokenizer.h"

namespace bert::model {

// The texts of a tokenizer's files.
struct TokenizerFiles {
  std::string vocab;                // vocab.txt
  std::string settings;             // tokenizer_config.json
  std::string special_tokens;       // special_tokens_map.json
  std::optional<std::string> json;  // tokenizer.json
};

// The files of `tokenizer`, which was loaded from `source`: a model directory, a vocab.txt or a
// tokenizer.json. vocab.txt and tokenizer.json are what the source has, to the byte; tokenizer.json only if
// it still means this tokenizer (--uncased or another vocabulary may have been asked for). A training run
// that will last calls this at its beginning: the source may change. `positions` bounds model_max_length.
TokenizerFiles tokenizer_files(const text::Tokenizer& tokenizer, const std::string& source,
                               int64_t positions);

// config.json, which parse_config reads back as `config`.
std::string config_json(const Config& config);

// What a tensor with this canonical name is called in the file: "bert." stands before the encoder's names
// unless the model is a bare encoder (BertModel).
std::string stored_name(const Config& config, const std::string& canonical);

// The tensors as they go into the file; they refer to `params`.
std::vector<ckpt::TensorToWrite> saved_tensors(const Config& config, const nn::Params& params);

// Error unless a model may be written to `directory`: it is not there, is empty, holds a model, or holds
// nothing but what `besides` names ("snapshots"). Finishes what a killed run left there. To be called before
// the work begins.
void require_output(const std::string& directory, std::span<const std::string> besides = {});

// Writes the directory so that it appears complete. A model that is there is replaced in one operation where
// the file system can do that (base/output_directory.h); what else is there stays.
void save(const std::string& directory, const Config& config, const TokenizerFiles& tokenizer,
          std::span<const ckpt::TensorToWrite> tensors);
void save(const std::string& directory, const Config& config, const TokenizerFiles& tokenizer,
          const nn::Params& params);

}  // namespace bert::model
