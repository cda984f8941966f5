// The settings of disentangled attention in config.json, those of DeBERTa v2 and v3.
#pragma once

#include "json/json.h"
#include "model/config.h"

namespace bert::model {

// Throws Error for what cannot be computed.
void read_disentangled(const json::File& file, Config& config);
void write_disentangled(const Config& config, json::Object& object);

}  // namespace bert::model
