// A Dense module that is trained with the model (Config::Projection).
#pragma once

#include "model/config.h"
#include "model/sentence_transformers.h"
#include "nn/params.h"

namespace bert::train {

model::Config::Projection projection_of(const model::Dense& dense);

// Copies the numbers of the module, if there is one, to the parameters of the projection.
void fill_projection(const model::Dense* dense, nn::Params& parameters);

}  // namespace bert::train
