// Sharded checkpoints: model.safetensors.index.json or pytorch_model.bin.index.json maps each tensor to its
// file.
//
//   {"metadata": {"total_size": 24}, "weight_map": {"a": "model-00001-of-00002.safetensors", …}}
#pragma once

#include <string>
#include <vector>

#include "base/file.h"
#include "ckpt/checkpoint.h"

namespace bert::ckpt {

// Maps the shards named in the index at `path`, which are in the same directory, appends them to `files` and
// returns their contents. Error unless each tensor is in the file given by the index, and in no other.
Contents read_shards(const std::string& path, std::vector<MappedFile>& files);

}  // namespace bert::ckpt
