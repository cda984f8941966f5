#include "model/preset.h"

namespace bert::model {
namespace {

struct Size {
  int64_t layers, hidden;
};

Size size_of(Preset preset) {
  switch (preset) {
    case Preset::tiny:
      return {.layers = 2, .hidden = 128};
    case Preset::mini:
      return {.layers = 4, .hidden = 256};
    case Preset::small:
      return {.layers = 4, .hidden = 512};
    case Preset::medium:
      return {.layers = 8, .hidden = 512};
    case Preset::base:
      return {.layers = 12, .hidden = 768};
    case Preset::large:
      break;
  }
  return {.layers = 24, .hidden = 1024};
}

}  // namespace

Config config_of(Preset preset, int64_t vocab_size) {
  constexpr int64_t kHeadSize = 64;
  const auto [layers, hidden] = size_of(preset);
  Config config;
  config.vocab_size = vocab_size;
  config.layers = layers;
  config.hidden = hidden;
  config.heads = hidden / kHeadSize;
  config.feed_forward = 4 * hidden;
  return config;
}

}  // namespace bert::model
