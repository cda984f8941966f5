// The safetensors format (github.com/huggingface/safetensors, "Format"): u64 little-endian N, N bytes of JSON
// that say where each tensor lies, then the tensors one after another.
//
//   {"a": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, "__metadata__": {"format": "pt"}}
#pragma once

#include "base/file.h"
#include "ckpt/checkpoint.h"

namespace bert::ckpt {

// The tensors of `file` in the order of their data, names as they stand. Error unless the header is whole, at
// most 100 MB, and describes every byte of the data exactly once. The spans live as long as the mapping.
Contents read_safetensors(const MappedFile& file);

}  // namespace bert::ckpt
