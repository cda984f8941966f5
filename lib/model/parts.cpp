#include "model/parts.h"

#include <algorithm>
#include <cassert>
#include <iterator>

#include "base/error.h"
#include "json/json.h"
#include "model/save.h"
#include "model/stored_tensors.h"

namespace bert::model {

namespace {

constexpr const char *kTransformLayer = "cls.predictions.transform.dense",
                     *kTransformNorm = "cls.predictions.transform.LayerNorm";

nn::Linear::Bias bias(bool has) { return has ? nn::Linear::Bias::yes : nn::Linear::Bias::no; }

nn::EncoderLayer::Config layer_config(const Config& c, int64_t layer) {
  const bool window = c.has_window(layer);
  nn::EncoderLayer::Config config = {
      .attention = {.hidden = c.hidden,
                    .heads = c.heads,
                    .causal = c.causal,
                    .positions = c.relative_positions,
                    .position_dropout = c.hidden_dropout,
                    .layer = static_cast<size_t>(layer),
                    .bias = bias(c.biases.attention),
                    .output_bias = bias(c.biases.attention_output),
                    .norm_epsilon = c.type->norms_queries ? std::optional(c.norm_epsilon) : std::nullopt},
      .feed_forward = {.hidden = c.hidden,
                       .width = c.feed_forward,
                       .activation = c.activation,
                       .gated = c.type->gated,
                       .bias = bias(c.biases.inner),
                       .output_bias = bias(c.biases.output)},
      .norm_epsilon = c.norm_epsilon,
      .norm_bias = bias(c.biases.norms),
      .norms_first = c.type->norms_first,
      .norms_attention = layer > 0,  // the embeddings are normalized
      .norms_again = c.type->norms_queries,
      .layer = static_cast<uint64_t>(layer) + 1,  // 0: the embeddings
      .attention_branch_dropout = c.type->norms_first ? c.attention_dropout : c.hidden_dropout,
      .feed_forward_branch_dropout =
          c.type->norms_first || !c.type->drops_feed_forward ? 0 : c.hidden_dropout,
      .attention_dropout = c.attention_dropout};
  if (c.type->drops_inner)
    config.feed_forward.dropout = {config.layer, nn::DropoutSite::inner, nn::DropoutRate(c.hidden_dropout)};
  if (window) config.attention.window = c.window;
  if (!c.rotary.empty()) config.attention.rotations = window && c.rotary.size() > 1 ? 1 : 0;
  return config;
}

}  // namespace

std::vector<nn::Rotations> rotations_of(const Config& config) {
  std::vector<nn::Rotations> rotations;
  for (const auto& rotary : config.rotary) rotations.emplace_back(rotary);
  return rotations;
}

MaskedLm::MaskedLm(const Config& config, nn::Layout& layout)
    : activation(config.head_activation.value_or(config.activation)),
      dense(kTransformLayer, config.embedding_width(), config.hidden, layout, bias(config.biases.head)),
      norm(kTransformNorm, config.embedding_width(), config.norm_epsilon, layout, bias(config.biases.norms)),
      decoder("cls.predictions.bias", config.vocab_size, config.embedding_width(), layout) {}

NetworkLayers::NetworkLayers(const Config& c, const Needs& needs, nn::Layout& layout)
    : embeddings({.hidden = c.embedding_width(),
                  .projected = c.type->norms_projected && c.is_projected() ? c.hidden : 0,
                  .positions = c.rotary.empty() && c.position_table ? c.positions : 0,
                  .first_position = c.first_position,
                  .padding = static_cast<int32_t>(c.type->unplaced_id(c.pad_id)),
                  .types = c.types,
                  .words_only = c.type->words_only,
                  .norm_epsilon = c.norm_epsilon,
                  .norm_bias = bias(c.biases.norms),
                  .dropout = c.embedding_dropout.value_or(c.hidden_dropout)},
                 layout) {
  if (c.is_projected() && !c.type->norms_projected)
    projection.emplace("embeddings.projection", c.hidden, c.embedding_width(), layout);
  if (c.bias_rows > 0 || c.type->linear_bias)
    relative_bias.emplace(
        kBiasTable,
        nn::RelativeBias::Config{.rows = c.bias_rows, .heads = c.heads, .head_size = c.head_size()}, layout);
  if (c.relative_positions)
    relative_positions.emplace(*c.relative_positions, c.hidden, c.norm_epsilon, layout);
  const int64_t count = needs.layers < 0 ? c.layers : needs.layers;
  for (int64_t i = 0; i < count; ++i)
    encoder.emplace_back(layer_name(c.stored_layer(i)), layer_config(c, i), layout);
  if (c.convolution > 0 && count > 0)
    convolution.emplace(nn::Convolution::Config{.hidden = c.hidden,
                                                .size = c.convolution,
                                                .activation = c.convolution_activation,
                                                .norm_epsilon = c.norm_epsilon,
                                                .dropout = c.hidden_dropout},
                        layout);
  if (c.type->norms_first && count == c.layers)
    final_norm.emplace("encoder.final.LayerNorm", c.hidden, c.norm_epsilon, layout, bias(c.biases.norms));
  const Head* const masked = head_of(task::Task::fill);
  const auto other = std::ranges::find_if(needs.heads, [&](const Head* head) { return head != masked; });
  if (other != needs.heads.end()) head = *other;
  const bool transforms = head != nullptr && head->fine_tuned && c.type->transforms_first;
  if (needs.pooler || (head != nullptr && head->reads == Reads::sequences && !transforms))
    dense.emplace(kPoolerLayer, c.hidden, c.hidden, layout);
  dense_activation = c.type->pooler_activation;
  if (head != nullptr && !head->dense.empty()) {
    if (c.type->replaced_in_context)
      context_norm.emplace(head->context_norm, c.hidden, c.norm_epsilon, layout);
    dense.emplace(head->dense, c.hidden, c.hidden, layout);
    dense_activation = c.activation;
  }
  reads_means = head != nullptr && c.pools_mean && head->reads == Reads::sequences;
  if (transforms) {
    dense.emplace(kTransformLayer, c.hidden, c.hidden, layout, bias(c.biases.head));
    dense_norm.emplace(kTransformNorm, c.hidden, c.norm_epsilon, layout, bias(c.biases.norms));
    dense_activation = c.head_activation.value_or(c.activation);
  }
  if (head != nullptr)
    output.emplace(std::string(head->tensors(*c.type)), outputs_of(*head, c), c.hidden, layout);
  if (std::ranges::find(needs.heads, masked) != needs.heads.end()) masked_lm.emplace(c, layout);
  if (c.weighted_layers && head != nullptr && head->fine_tuned) mix.emplace(count + 1, layout);
}

const ckpt::StoredTensor& stored_tensor(const ckpt::Checkpoint& checkpoint, const std::string& name,
                                        std::span<const int64_t> shape, const Config& config) {
  try {
    return checkpoint.get(name, shape);
  } catch (const Error& error) {
    const auto* const found = checkpoint.find(name);
    const auto own_name = stored_name(config, name);
    if (found == nullptr && config.type != &model_types().front() && own_name != name)
      throw Error(error.what(), "; in this type it is ", json::in_quotes(own_name));
    const bool other_count =
        found != nullptr && !found->shape.empty() && found->shape.front() != shape.front();
    const bool by_label = std::ranges::any_of(heads(), [&](const Head& head) {
      return head.outputs == 0 && head.fine_tuned && name.starts_with(head.tensors(*config.type));
    });
    if (!by_label || !other_count) throw;
    const auto labels = config.labels.size();
    throw Error(error.what(), "; id2label of config.json has ", counted(labels, "label", "labels"));
  }
}

void check_batch(const Config& config, const nn::Batch& batch) {
  assert(batch.types.size() == batch.ids.size());
  for (const int32_t id : batch.ids) {
    if (id < 0 || id >= config.vocab_size) {
      throw Error("token id is ", id, ", expected 0 to ", config.vocab_size - 1);
    }
  }
  for (const int32_t type : batch.types) {
    if (config.types > 0 && (type < 0 || type >= config.types))
      throw Error("token type is ", type, ", expected 0 to ", config.types - 1);
  }
  for (int64_t i = 0; i < batch.sequences(); ++i) {
    const int64_t length = batch.length(i);
    if (length < config.least_tokens() || length > config.positions) {
      throw Error("the sequence has ", length, " tokens, the model reads 1 to ", config.positions);
    }
  }
}

std::vector<int64_t> offsets_among(std::span<const int64_t> rows, const nn::Batch& batch) {
  std::vector<int64_t> offsets;
  for (const int64_t begin : batch.offsets) {
    offsets.push_back(std::ranges::lower_bound(rows, begin) - rows.begin());
  }
  return offsets;
}

std::vector<int64_t> pooled_rows(const Config& config, const nn::Batch& batch) {
  std::vector<int64_t> rows;
  for (int64_t i = 0; i < batch.sequences(); ++i)
    rows.push_back(batch.offsets[i] + config.pooled_position(batch.length(i)));
  return rows;
}

std::vector<nn::RowRange> sequences_of(std::span<const int64_t> rows, const nn::Batch& batch) {
  std::vector<nn::RowRange> ranges;
  for (const int64_t row : rows) {
    const auto end = std::ranges::upper_bound(batch.offsets, row);
    ranges.push_back({*std::prev(end), *end});
  }
  return ranges;
}

}  // namespace bert::model
