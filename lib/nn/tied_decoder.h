// logits = x·Eᵀ + b over the vocabulary, E the word embeddings        x [R,H], E [V,H], b [V], logits [R,V]
//
// E stays in the mapped file: each thread packs one panel of it at a time, where it is used. That costs a
// little for few rows and nothing for many, and saves a second copy of the largest matrix of the model.
#pragma once

#include <string>

#include "nn/context.h"
#include "nn/weights.h"

namespace bert::nn {

class TiedDecoder {
 public:
  // Names the bias.
  TiedDecoder(std::string bias_name, int64_t vocab_size, int64_t hidden, Layout& layout);

  void forward(Context& context, const Weights& weights, const Stored& words, const Tensor& x,
               Tensor& logits) const;

 private:
  int bias_;
  int64_t vocab_size_, hidden_;
};

}  // namespace bert::nn
