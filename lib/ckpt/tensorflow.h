// TensorFlow's checkpoints of the second form ("bundles", tensorflow/core/protobuf/tensor_bundle.proto):
// PREFIX.index is a sorted table (sstable.h) from a tensor's name to where its bytes lie in
// PREFIX.data-00000-of- 00001, with their CRC-32C. Google's BERT released its weights so.
#pragma once

#include <string>
#include <vector>

#include "base/file.h"
#include "ckpt/checkpoint.h"

namespace bert::ckpt {

// The tensors that the index at `path` has, with Hugging Face's names (names.h); the optimiser's are left
// out. The data files, which lie beside it, are mapped onto the end of `files`. Reads all numbers unless
// their sums are left. Error when the index or a sum is wrong.
Contents read_tensorflow(const std::string& path, std::vector<MappedFile>& files, DataSums sums);

}  // namespace bert::ckpt
