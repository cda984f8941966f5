// A configuration as Hugging Face's config.json.
#pragma once

#include <string>

#include "model/config.h"

namespace bert::model {

// What parse_config reads back as `config`, keys in the order of the alphabet as transformers writes them.
std::string config_json(const Config& config);

}  // namespace bert::model
