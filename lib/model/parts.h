// Parts shared by the inference network and the training network.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ckpt/checkpoint.h"
#include "model/config.h"
#include "model/heads.h"
#include "model/model_type.h"
#include "nn/batch.h"
#include "nn/convolution.h"
#include "nn/embeddings.h"
#include "nn/encoder_layer.h"
#include "nn/relative_bias.h"
#include "nn/relative_positions.h"
#include "nn/row_means.h"
#include "nn/scalar_mix.h"
#include "nn/tied_decoder.h"

namespace bert::model {

// The tensor of a checkpoint. The Error of a classifier of another size also says where its size is from.
const ckpt::StoredTensor& stored_tensor(const ckpt::Checkpoint& checkpoint, const std::string& name,
                                        std::span<const int64_t> shape, const Config& config);

// Prefix of the parameters of Config::projection, and the parameter of Config::query_table. In a model
// directory, they are in the folders of modules.
constexpr std::string_view kProjection = "pooled_projection", kQueryTable = "query_table.weight";
inline bool is_of_module(std::string_view parameter) {
  return parameter.starts_with(kProjection) || parameter == kQueryTable;
}

// Masked-language-model head: logits = norm(act(dense(h)))·Eᵀ + b.
struct MaskedLm {
  nn::Activation activation;
  nn::Linear dense;
  nn::LayerNorm norm;
  nn::TiedDecoder decoder;

  MaskedLm(const Config& config, nn::Layout& layout);
};

// The parts of a network that a tool needs.
struct Needs {
  int layers = -1;      // encoder layers 1..layers; -1: all
  bool pooler = false;  // also without a head that reads it
  Heads heads = {};     // at most one besides masked_lm
};

// The layers of a network for inference or training, which own no numbers.
struct NetworkLayers {
  nn::Embeddings embeddings;
  std::optional<nn::Linear> projection;           // of the normalized embeddings to the encoder's width
  std::optional<nn::RelativeBias> relative_bias;  // of all layers
  std::optional<nn::RelativePositions> relative_positions;  // likewise
  std::vector<nn::EncoderLayer> encoder;
  std::optional<nn::Convolution> convolution;  // beside the first layer, if that is there
  std::optional<nn::LayerNorm> final_norm;     // of the last layer's output, if all layers are there
  std::optional<nn::LayerNorm> context_norm;   // of h + h of the first token, which the head reads then
  std::optional<nn::Linear> dense;             // act(dense(x)): the pooler, of pooled_rows(), or Head::dense
  nn::Activation dense_activation;             // meaningless without `dense`
  std::optional<nn::LayerNorm> dense_norm;     // of the result, see ModelType::transforms_first
  const Head* head = nullptr;                  // that of `output`
  std::optional<nn::Linear> output;
  std::optional<MaskedLm> masked_lm;
  std::optional<nn::ScalarMix> mix;  // if a fine-tuned head reads the weighted sum of all layers

  bool reads_means = false;  // the head, of all rows of each sequence

  NetworkLayers(const Config& config, const Needs& needs, nn::Layout& layout);
};

// The tables of rotary positions that the layers need.
std::vector<nn::Rotations> rotations_of(const Config& config);

// Throws Error for ids, token types and lengths out of range; they come from untrusted input.
void check_batch(const Config& config, const nn::Batch& batch);

// `rows` selects rows of a batch, ascending. Returns where each sequence begins among them, [B+1].
std::vector<int64_t> offsets_among(std::span<const int64_t> rows, const nn::Batch& batch);

// Rows of a batch that the pooler reads, one for each sequence; see Config::pooled_position. If heads of
// sequences read means of all tokens, these rows stand for their sequences.
std::vector<int64_t> pooled_rows(const Config& config, const nn::Batch& batch);

// The sequences that these rows are in.
std::vector<nn::RowRange> sequences_of(std::span<const int64_t> rows, const nn::Batch& batch);

}  // namespace bert::model
