// What TrainingNetwork consists of, for its sources.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "model/training_layers.h"
#include "model/training_network.h"
#include "nn/rotary.h"

namespace bert::model {

struct TrainingNetwork::Parts : TrainingLayers {
  Config config;
  std::shared_ptr<TrainingNumbers> numbers;  // also those of the generator
  nn::Context& context;
  const nn::Layout& layout;
  nn::Params &parameters, &gradients;
  nn::Weights& weights;
  std::string_view prefix;                   // of the names of its own tensors in the layout
  std::optional<TrainingNetwork> generator;  // shares the embeddings
  std::optional<int64_t> frozen;             // number of encoder layers frozen along with the embeddings

  bool key_bias = true;  // that of the last layer learns, see ignore_key_bias

  // State of the current batch.
  const nn::Batch* batch = nullptr;
  std::vector<int64_t> rows_wanted, row_offsets;   // output rows, and where each sequence begins in them
  std::vector<nn::RowRange> head_sequences;        // whose means the head reads
  std::vector<int64_t> word_places;                // the rows that the head of words reads, in top()
  std::vector<int64_t> head_places, head_offsets;  // the rows that the head reads: in top(), and by sequence
  std::optional<Through> through;                  // of forward_layers
  std::optional<nn::DropoutSeed> dropout_seed;
  Keep keep = Keep::activations;
  nn::ByDistance<float> bias;
  nn::ByDistance<double> dbias;
  std::vector<nn::Rotations> rotations;
  nn::PositionTable positions;
  nn::Tensor dpositions;
  nn::Convolution::Saved convolved;
  nn::Tensor dconvolved;  // gradient of the convolution's input
  nn::Embeddings::Saved of_embeddings;
  nn::Tensor embedded, dembedded;  // input of the projection and its gradient
  std::vector<nn::Tensor> inputs;  // inputs of the layers that are kept; the last one is the output [R,H]
  nn::Tensor last_normed;          // that output, if the model normalizes it
  std::vector<nn::EncoderLayer::Saved> saved;  // one for each kept layer, or one shared by all
  nn::Tensor projected;                        // of the last layer, with Through::projected
  LayerGradients of_layers;                    // from losses besides heads
  nn::Tensor dtop, dx;                         // gradients of the output and of a layer's input
  std::vector<nn::Tensor> states;              // for the weighted sum: each layer at the output rows
  nn::Tensor mixed, dmixed;                    // the weighted sum, which is then the output, and its gradient

  nn::EncoderLayer::Saved of_last;  // of the last layer, with Through::projected
  nn::EncoderLayer::Workspace workspace;
  nn::Tensor vocab_logits;                                // for the masked-language-model loss
  nn::Tensor in_context;                                  // input of the head's first normalization
  nn::Tensor rows, u, transformed, normed, drows, scrap;  // for the heads
  nn::Tensor dense, logits;
  nn::Tensor pooled_u, dpooled_u;  // for the projection of pooled vectors, before its activation

  Parts(const Config& config, const Heads& heads, std::shared_ptr<TrainingNumbers> numbers);
  nn::Pass pass() {
    return {.context = context,
            .weights = weights,
            .offsets = batch->offsets,
            .dropout_seed = dropout_seed ? &*dropout_seed : nullptr,
            .keeps = keep != Keep::nothing,
            .keeps_projected = true,
            .seen = batch->seen,
            .bias = net.relative_bias ? &bias : nullptr,
            .rotations = rotations,
            .positions = net.relative_positions ? &positions : nullptr};
  }
  nn::Tensor& last() { return net.final_norm ? last_normed : inputs.back(); }
  nn::Tensor& top() { return net.mix ? mixed : last(); }
  size_t frozen_layers() const { return frozen.value_or(0); }
  bool encoder_learns() const { return !frozen || frozen_layers() < net.encoder.size(); }
  bool input_learns() const { return net.mix || net.final_norm || encoder_learns(); }  // below the heads
  nn::EncoderLayer::Saved& saved_of(size_t layer) {
    return saved[keep == Keep::activations ? layer - frozen_layers() : 0];
  }
  // The last layer is computed at the wanted rows only.
  std::optional<nn::RowSelection> selection(size_t layer) const {
    if (layer + 1 < net.encoder.size() || through) return std::nullopt;
    return nn::RowSelection{.rows = rows_wanted, .offsets = row_offsets};
  }
  std::vector<int64_t> places(std::span<const int64_t> rows) const;  // indexes in top()
  nn::Pass head_pass() {
    auto result = pass();
    result.offsets = head_offsets;
    return result;
  }
  nn::Tensor& head_input() { return net.dense ? dense : rows; }
  void add_embeddings(float factor);
  void run(const nn::Batch& batch, const nn::DropoutSeed* dropout_seed, Keep keep);
  void forward(size_t layer, const nn::Tensor& x, nn::EncoderLayer::Saved& of_layer, nn::Tensor& z);
  void prepare_positions();
  void finish(size_t layer);
  void keep_state(size_t layer, const nn::Tensor& x);
  void backward_mix();
  void finish_level(int64_t level, const Ready& ready);
};

}  // namespace bert::model
