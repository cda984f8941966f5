// The sizes of BERT that have names: base and large of Devlin et al. 2018, the others of Turc et al. 2019,
// "Well-Read Students Learn Better".
#pragma once

#include <cstdint>

#include "model/config.h"

namespace bert::model {

enum class Preset { tiny, mini, small, medium, base, large };

Config config_of(Preset preset, int64_t vocab_size);

}  // namespace bert::model
