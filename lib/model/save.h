// Writing a model as a Hugging Face directory: config.json, the tokenizer's files, model.safetensors.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ckpt/safetensors_writer.h"
#include "model/config.h"
#include "model/module_files.h"
#include "model/saved_tokenizer.h"
#include "nn/params.h"

namespace bert::model {

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
// the file system can do that (base/output_directory.h); what else is there stays. config.json calls
// `weights` the format of the numbers.
void save(const std::string& directory, const Config& config, const TokenizerFiles& tokenizer,
          std::span<const ckpt::TensorToWrite> tensors, Dtype weights = Dtype::f32,
          const ModuleFiles& modules = {});
void save(const std::string& directory, const Config& config, const TokenizerFiles& tokenizer,
          const nn::Params& params);

}  // namespace bert::model
