// Weights of the encoder as 8-bit integers, in the form of compressed-tensors that transformers reads: see
// ckpt/quantized.h, and "quantization_config" in config.json.
#pragma once

#include <string>
#include <vector>

#include "ckpt/safetensors_writer.h"
#include "json/json.h"
#include "model/config.h"

namespace bert::model {

// Returns the targets of "quantization_config", the regular expressions of the quantized matrices; none if
// there is no such object. Error if it is of another kind than 8-bit integers with a scale for each row or
// matrix.
std::vector<std::string> read_quantization(const json::File& config);
// The object for these targets.
void append_quantization(std::string& out, const std::vector<std::string>& targets);

// Rounds the encoder's matrices to integers when they are written: `tensors` have canonical names.
void store_as_integers(const Config& config, std::vector<ckpt::TensorToWrite>& tensors);

// Adds the tensors of the scales, for tensors with the names of the file. Returns the targets.
std::vector<std::string> add_scales(std::vector<ckpt::TensorToWrite>& tensors);

}  // namespace bert::model
