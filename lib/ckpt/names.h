// What tensors are called: files of many years and programs write one tensor under several names.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/file.h"

namespace bert::ckpt {

// The canonical name of a stored one: "module." and "bert." in front are dropped, LayerNorm.gamma and .beta
// are weight and bias, cls.predictions.decoder.bias is cls.predictions.bias. Any other name stays as it is.
//
//   module.bert.embeddings.LayerNorm.gamma -> embeddings.LayerNorm.weight
std::string canonical_name(std::string_view stored);

// Buffers that old releases saved beside the weights (position_ids); `canonical` names no weight then.
bool is_buffer(std::string_view canonical);

// What a variable of Google's TensorFlow code is called elsewhere.
struct TensorflowName {
  std::string name;         // canonical, of a variable of BERT; any other stays as it is
  bool transposed = false;  // a matrix [in,out] there, [out,in] here
};

// nullopt: not a weight, but the optimiser's or the training's.
//
//   bert/encoder/layer_3/output/dense/kernel -> encoder.layer.3.output.dense.weight, transposed
//   cls/squad/output_weights                 -> qa_outputs.weight
std::optional<TensorflowName> tensorflow_name(std::string_view variable);

// Error when `file` is what Git LFS leaves in the place of a file that was not fetched.
void refuse_lfs_pointer(const MappedFile& file);

}  // namespace bert::ckpt
