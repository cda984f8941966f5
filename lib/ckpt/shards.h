// A checkpoint cut into files: model.safetensors.index.json or pytorch_model.bin.index.json says which file
// holds each tensor.
//
//   {"metadata": {"total_size": 24}, "weight_map": {"a": "model-00001-of-00002.safetensors", …}}
#pragma once

#include <string>
#include <vector>

#include "base/file.h"
#include "ckpt/checkpoint.h"

namespace bert::ckpt {

// Maps the shards that the index at `path` names, which lie beside it, onto the end of `files`, and returns
// what they hold. Error unless each tensor is in the file that the index says, and nowhere else.
Contents read_shards(const std::string& path, std::vector<MappedFile>& files);

}  // namespace bert::ckpt
