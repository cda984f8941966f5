// The safetensors format (github.com/huggingface/safetensors, "Format"): N as a little-endian u64, N bytes of
// JSON with the position of each tensor, then the data of all tensors.
//
//   {"a": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, "__metadata__": {"format": "pt"}}
#pragma once

#include "base/file.h"
#include "ckpt/checkpoint.h"

namespace bert::ckpt {

// The tensors of `file` in data order, with the names in the file. Error unless the header is complete, at
// most 100 MB, and describes every byte of the data exactly once. The spans are valid as long as the mapping.
Contents read_safetensors(const MappedFile& file);

}  // namespace bert::ckpt
