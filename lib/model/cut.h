// Reduces a model to some of its layers and some of its vocabulary.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ckpt/safetensors_writer.h"
#include "model/config.h"
#include "model/directory.h"
#include "model/save.h"
#include "text/tokenizer.h"
#include "text/vocabulary_cut.h"

namespace bert::model {

// A model that is being cut. The names of its tensors are canonical (ckpt/checkpoint.h).
struct Parts {
  Config config;
  std::vector<ckpt::TensorToWrite> tensors;
};

// Keeps the encoder layers `kept`, counted from 0 and ascending, in this order. Learned weights of the layers
// (Config::weighted_layers) are kept with them. Throws OptionError if a layer does not exist, and Error if
// the groups of layers that share weights would not be groups of one size.
void cut_layers(std::span<const int64_t> kept, const Directory& source, Parts& parts);

// Keeps the rows of the word embeddings and of the masked-LM decoder. Throws Error if the padding token, by
// whose id some types count positions, would have another id.
void cut_vocabulary(const text::VocabularyCut& cut, const Directory& source, Parts& parts);

// The same for the files of the tokenizer, see tokenizer_files. Throws Error if they have a form in which the
// vocabulary cannot be cut.
TokenizerFiles cut_tokenizer_files(const text::Tokenizer& tokenizer, const Directory& source,
                                   const text::VocabularyCut& cut);

}  // namespace bert::model
