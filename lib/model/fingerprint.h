// Tells models apart: equal for copies of a model, in whatever format its weights are stored, and different
// for practically any two models.
#pragma once

#include <cstdint>

#include "model/directory.h"
#include "model/network.h"
#include "text/tokenizer.h"

namespace bert::model {

// A checksum of what turns a text into hidden states: the vocabulary and the settings of the tokenizer, the
// configuration, and a few numbers of each tensor of the encoder, since reading all of them would take longer
// than a short run; training changes nearly every number. Also of the pooler and of heads, if needed, and of
// the modules after pooling.
// Rounding the weights (bert-convert --store f16) gives another fingerprint.
uint64_t fingerprint(const Directory& directory, const text::Tokenizer& tokenizer, const Needs& needs);

}  // namespace bert::model
