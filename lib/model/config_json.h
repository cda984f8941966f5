// Writes a configuration as Hugging Face's config.json.
#pragma once

#include <string>

#include "base/dtype.h"
#include "model/config.h"

namespace bert::model {

// Text that parse_config reads back as `config`. Keys are sorted by BERT's names, as in transformers.
// `weights` is the floating-point format of the weights in the same directory.
std::string config_json(const Config& config, Dtype weights = Dtype::f32);

}  // namespace bert::model
