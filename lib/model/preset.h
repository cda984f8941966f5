// Named BERT sizes: base and large from Devlin et al. 2018, the others from Turc et al. 2019, "Well-Read
// Students Learn Better".
#pragma once

#include <cstdint>

#include "model/config.h"

namespace bert::model {

enum class Preset { tiny, mini, small, medium, base, large };

Config config_of(Preset preset, int64_t vocab_size);

}  // namespace bert::model
