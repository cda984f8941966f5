// TensorFlow V2 checkpoints ("bundles", tensorflow/core/protobuf/tensor_bundle.proto), the format of Google's
// BERT releases. PREFIX.index is a sorted table (sstable.h) that maps each tensor's name to the position and
// CRC-32C of its bytes in PREFIX.data-00000-of-00001.
#pragma once

#include <string>
#include <vector>

#include "base/file.h"
#include "ckpt/checkpoint.h"

namespace bert::ckpt {

// The tensors in the index at `path`, with Hugging Face's names (names.h), without optimizer state. Maps the
// data files in the same directory and appends them to `files`. Reads all data with DataSums::check. Error
// if the index or a checksum is wrong.
Contents read_tensorflow(const std::string& path, std::vector<MappedFile>& files, DataSums sums);

}  // namespace bert::ckpt
