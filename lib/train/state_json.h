// The state of a run as state.json. Its last member is the checksum of everything before it.
#pragma once

#include <cstdint>
#include <string>

#include "ckpt/safetensors_writer.h"
#include "train/training_checkpoint.h"

namespace bert::train {

// Contents of state.json, including a description of the files next to it.
struct StateFile {
  State state;
  ckpt::WrittenFile weights, optimizer;
};

// Numbers read back bit for bit. Throws Error if one is not finite.
std::string state_json(const StateFile& file);

// `path` is used in error messages. Throws Error unless the text is complete and its checksum matches.
StateFile parse_state(const std::string& path, const std::string& text);

}  // namespace bert::train
