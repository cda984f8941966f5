#include "train/projection.h"

#include <algorithm>

#include "model/parts.h"

namespace bert::train {

model::Config::Projection projection_of(const model::Dense& dense) {
  return {.in = dense.in, .out = dense.out, .activation = dense.activation, .bias = !dense.bias.empty()};
}

void fill_projection(const model::Dense* dense, nn::Params& parameters) {
  const auto& entries = parameters.layout().entries();
  for (size_t place = 0; dense != nullptr && place < entries.size(); ++place) {
    if (!entries[place].name.starts_with(model::kProjection)) continue;
    const auto& numbers = entries[place].name.ends_with("weight") ? dense->weight : dense->bias;
    std::ranges::copy(numbers, parameters.tensor(place).begin());
  }
}

}  // namespace bert::train
