// A configuration as Hugging Face's config.json.
#pragma once

#include <string>

#include "base/dtype.h"
#include "model/config.h"

namespace bert::model {

// What parse_config reads back as `config`, keys in the order of the alphabet as transformers writes them.
// `weights`: the format of the floating-point weights that stand beside it.
std::string config_json(const Config& config, Dtype weights = Dtype::f32);

}  // namespace bert::model
