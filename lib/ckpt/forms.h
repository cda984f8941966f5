// The forms in which the world keeps weights, and which of them a model directory has.
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
  sharded,     // an index in JSON of such files
  tensorflow,  // PREFIX.index
};

struct WeightsFile {
  Form form = Form::single;
  std::string path;  // of the file, or of the index
};

// The weights of `path`: a model directory, a file, or the prefix of a TensorFlow checkpoint. Of a directory
// the first of model.safetensors, model.safetensors.index.json, pytorch_model.bin,
// pytorch_model.bin.index.json, the TensorFlow checkpoint that the file "checkpoint" names, bert_model.ckpt,
// and the only PREFIX.index. Error when there is none, naming the form that is there and cannot be read.
WeightsFile find_weights(const std::string& path);

// Reads what find_weights found, onto the end of `files`.
Contents read_weights(const WeightsFile& weights, std::vector<MappedFile>& files, DataSums sums);

// A safetensors or PyTorch file, by what its name or its first bytes say.
Contents read_single(const MappedFile& file);

}  // namespace bert::ckpt
