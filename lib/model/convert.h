// Any model directory as one of Hugging Face, straight from the mapped files; and what a directory holds.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/dtype.h"
#include "base/log.h"
#include "ckpt/checkpoint.h"
#include "ckpt/safetensors_writer.h"
#include "model/directory.h"

namespace bert::model {

// The weights of BERT and its heads among the tensors of `checkpoint`, by the names that go into the file;
// they refer to `checkpoint`. The tied decoder is stored once, as the word embeddings. Error when a tensor of
// the encoder is missing or of another shape than `config` says, or a weight is in a format that is not read.
// What is no weight is dropped, and named once in `log`.
std::vector<ckpt::TensorToWrite> converted_tensors(const Config& config, const ckpt::Checkpoint& checkpoint,
                                                   Log& log);

struct Conversion {
  std::string source, out;     // directories
  std::optional<Dtype> store;  // of floating-point numbers; without it they stay as they are
  std::string activation;      // as in open_directory
};

// Checks the sums of the files first.
void convert(const Conversion& conversion, Log& log);

// Opens the weights of `source` and checks all sums of their files.
void verify(const std::string& source);

// One JSON object in one line: what `source` holds. `activation` as in open_directory.
std::string describe(const std::string& source, std::string_view activation, Log& log);

}  // namespace bert::model
