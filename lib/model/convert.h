// Converts model directories to Hugging Face directories, reading from mapped files, and describes their
// contents.
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
#include "model/save.h"

namespace bert::model {

// Selects the weights of BERT and its heads from `checkpoint` and names them as in the output file. The
// results refer to `checkpoint`. A tied decoder is stored once, as the word embeddings. Throws Error if an
// encoder tensor is missing or its shape differs from `config`, or if a weight has an unsupported format.
// Tensors that are not weights are dropped with one warning in `log`.
std::vector<ckpt::TensorToWrite> converted_tensors(const Config& config, const ckpt::Checkpoint& checkpoint,
                                                   Log& log);

struct Conversion {
  std::string source, out;     // directories
  std::optional<Dtype> store;  // format of floating-point weights; unchanged if not set
  std::string activation;      // see open_directory
  Existing existing = Existing::refuse;
  std::vector<int64_t> layers{};  // of the encoder, to keep, ascending from 0; none: all
  std::string vocab{};            // file of the tokens to keep, see text/vocabulary_cut.h; "": all
  std::string calibration{};      // file with scales of the classifier, see calibration.h; "": none
};

// Verifies all checksums before it writes.
void convert(const Conversion& conversion, Log& log);

// Opens the weights of `source` and verifies all checksums.
void verify(const std::string& source);

// Describes `source` as one line of JSON. For `activation` see open_directory.
std::string describe(const std::string& source, std::string_view activation, Log& log);

}  // namespace bert::model
