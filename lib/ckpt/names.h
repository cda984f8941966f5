// Canonical tensor names. Different programs and releases store the same tensor under different names.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace bert::ckpt {

// Converts a stored name to its canonical form, BERT's: removes the prefixes "module." and "bert.", or that
// of another type of model, whose names it exchanges (naming.h); renames LayerNorm.gamma and .beta to weight
// and bias, and cls.predictions.decoder.bias to cls.predictions.bias. Other names are unchanged.
//
//   module.bert.embeddings.LayerNorm.gamma -> embeddings.LayerNorm.weight
std::string canonical_name(std::string_view stored);

// `stored` without the components that torch.compile, FSDP and activation checkpointing insert anywhere:
// bert._orig_mod.embeddings -> bert.embeddings.
std::string without_wrappers(std::string stored);

// The prefix of the names in `stored` if the model is a part of another module: what comes before
// "bert.embeddings.word_embeddings.weight", or before "embeddings." of a bare encoder. "" if there is no
// prefix other than those that canonical_name removes, or more than one encoder.
//
//   model.bert.embeddings.word_embeddings.weight, model.classifier.weight -> model.
//   0.auto_model.embeddings.word_embeddings.weight                        -> 0.auto_model.
std::string wrapper_prefix(std::span<const std::string_view> stored);

constexpr std::string_view kWordEmbeddings = "embeddings.word_embeddings.weight";  // every encoder has them

// Whether the name is that of a buffer saved by old releases (position_ids), not of a weight.
bool is_buffer(std::string_view canonical);

// The canonical name of a variable in Google's TensorFlow code.
struct TensorflowName {
  std::string name;         // canonical for BERT's variables, otherwise unchanged
  bool transposed = false;  // the variable is a matrix [in,out], the canonical tensor [out,in]
};

// nullopt for variables that are not weights: optimizer and training state.
//
//   bert/encoder/layer_3/output/dense/kernel -> encoder.layer.3.output.dense.weight, transposed
//   cls/squad/output_weights                 -> qa_outputs.weight
std::optional<TensorflowName> tensorflow_name(std::string_view variable);

}  // namespace bert::ckpt
