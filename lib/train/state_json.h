// The state of a run as the text of state.json, whose last member is the checksum of all before it.
#pragma once

#include <cstdint>
#include <string>

#include "ckpt/safetensors_writer.h"
#include "train/snapshot.h"

namespace bert::train {

// What state.json says of training.safetensors beside it.
struct StateFile {
  State state;
  ckpt::WrittenFile training;
};

// Numbers are written so that the same bits are read back; one that is not finite is an Error.
std::string state_json(const StateFile& file);

// `path` is what messages call it. Error unless the text is whole and as it was written.
StateFile parse_state(const std::string& path, const std::string& text);

}  // namespace bert::train
