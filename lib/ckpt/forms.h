// File formats of weights, and how to find the weights of a model directory.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "ckpt/checkpoint.h"
#include "ckpt/tensorflow.h"

namespace bert::ckpt {

enum class Form {
  single,      // a safetensors or PyTorch file
  sharded,     // a JSON index of such files
  tensorflow,  // PREFIX.index
};

struct WeightsFile {
  Form form = Form::single;
  std::string path;  // of the file or of the index
};

// Finds the weights of `path`: a model directory, a file, or the prefix of a TensorFlow checkpoint. In a
// directory, the first of these: model.safetensors, model.safetensors.index.json, pytorch_model.bin,
// pytorch_model.bin.index.json, the TensorFlow checkpoint named in the file "checkpoint", bert_model.ckpt,
// the only PREFIX.index. If there are none, the Error names an existing file of an unsupported format.
WeightsFile find_weights(const std::string& path);

// Reads the weights found by find_weights. Appends the mapped files to `files`.
Contents read_weights(const WeightsFile& weights, std::vector<MappedFile>& files, DataSums sums);

// Reads a safetensors or PyTorch file; the format is detected by file name or first bytes.
Contents read_single(const MappedFile& file);

}  // namespace bert::ckpt
