// Rotary positions and windows in config.json, in the forms of transformers 4 and 5 and of the models' own
// code.
#pragma once

#include <string_view>

#include "json/json.h"
#include "model/config.h"

namespace bert::model {

// The kinds of layers in "layer_types".
constexpr std::string_view kFullLayer = "full_attention", kNearLayer = "sliding_attention";

// Sets what `config` has of them: rotary, window, in_window and positions, the longest text. The sizes must
// be known.
void read_rotary(const json::File& file, Config& config);

// Writes them in the form of transformers 5, or of the type's own code, but not max_position_embeddings.
void write_rotary(const Config& config, json::Object& object);

// max_position_embeddings: less than Config::positions if longer texts have scaled positions.
int64_t trained_positions(const Config& config);

}  // namespace bert::model
