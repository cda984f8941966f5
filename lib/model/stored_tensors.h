// The names and shapes that tensors have in the files of a model.
#pragma once

#include <string>
#include <vector>

#include "ckpt/safetensors_writer.h"
#include "model/config.h"
#include "nn/params.h"

namespace bert::model {

// Name of a tensor in the file, or of that which it is a part of. Encoder tensors get the prefix of the model
// type, unless the model is a bare encoder (BertModel).
std::string stored_name(const Config& config, const std::string& canonical);

// Gives tensors the names they have in the file, and joins those that are one there.
std::vector<ckpt::TensorToWrite> as_stored(const Config& config, std::vector<ckpt::TensorToWrite> tensors);

// The numbers of a tensor of real numbers, row-major.
std::vector<float> floats_of(const ckpt::TensorToWrite& tensor);

// Tensors to write. They refer to `params`.
std::vector<ckpt::TensorToWrite> saved_tensors(const Config& config, const nn::Params& params);

}  // namespace bert::model
