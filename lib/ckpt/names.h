// What tensors are called: files of many years and programs write one tensor under several names.
#pragma once

#include <string>
#include <string_view>

namespace bert::ckpt {

// The canonical name of a stored one: "module." and "bert." in front are dropped, LayerNorm.gamma and .beta
// are weight and bias, cls.predictions.decoder.bias is cls.predictions.bias. Any other name stays as it is.
//
//   module.bert.embeddings.LayerNorm.gamma -> embeddings.LayerNorm.weight
std::string canonical_name(std::string_view stored);

// Buffers that old releases saved beside the weights (position_ids); `canonical` names no weight then.
bool is_buffer(std::string_view canonical);

// A name as a message shows it, in quotes: what a file holds may be anything, a message is one line.
std::string in_quotes(std::string_view name);

}  // namespace bert::ckpt
