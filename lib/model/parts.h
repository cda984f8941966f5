// Parts shared by the inference network and the training network.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/config.h"
#include "nn/batch.h"
#include "nn/embeddings.h"
#include "nn/encoder_layer.h"
#include "nn/tied_decoder.h"

namespace bert::model {

constexpr const char* kWordTable = "embeddings.word_embeddings.weight";

nn::EncoderLayer::Config layer_config(const Config& config);

// Masked-language-model head: logits = norm(act(dense(h)))·Eᵀ + b.
struct MaskedLm {
  nn::Linear dense;
  nn::LayerNorm norm;
  nn::TiedDecoder decoder;

  MaskedLm(const Config& config, nn::Layout& layout);
};

// Throws Error for ids, token types and lengths out of range; they come from untrusted input.
void check_batch(const Config& config, const nn::Batch& batch);

// `rows` selects rows of a batch, ascending. Returns where each sequence begins among them, [B+1].
std::vector<int64_t> offsets_among(std::span<const int64_t> rows, const nn::Batch& batch);

}  // namespace bert::model
