#include "model/network.h"

#include <algorithm>
#include <cassert>
#include <deque>
#include <functional>
#include <mutex>
#include <numeric>
#include <span>
#include <string>

#include "base/error.h"
#include "model/parts.h"
#include "nn/first_rows.h"

namespace bert::model {
struct Network::Parts {
  Config config;
  ckpt::Checkpoint checkpoint;
  nn::Context context;
  nn::Layout layout;
  std::deque<std::vector<float>> by_row;  // copies of what the file has column by column
  bool words_copied = false;              // the words are in by_row
  nn::Stored words;                       // [V,H]
  nn::Stored output_words;                // decoder of the masked-language-model head: `words` unless untied
  NetworkLayers layers;
  std::optional<nn::Weights> weights;

  nn::EncoderLayer::Workspace workspace;
  nn::EncoderLayer::Saved saved;
  nn::Embeddings::Saved of_embeddings;
  nn::ByDistance<float> bias;
  std::vector<nn::Rotations> rotations;
  nn::PositionTable positions;                              // for the longest sequences
  std::vector<nn::ProjectedPositions> projected_positions;  // of each layer
  nn::Convolution::Saved convolved;
  nn::Tensor x, z;  // a layer's input and output, swapped after each layer

  std::once_flag searched;
  std::string fault;  // see cause_of_not_finite

  Dtype dtype = Dtype::f32;

  Parts(const Config& config, ckpt::Checkpoint checkpoint, const Needs& needs, Pool& pool);
  void load(Dtype dtype);
  void look_up(int32_t id, std::span<float> row) const;
  nn::Pass pass(const nn::Batch& batch);
  void prepare_positions();
  void forward(const nn::Pass& pass, int64_t layer, const nn::Tensor& x,
               const std::optional<nn::RowSelection>& rows, nn::Tensor& z);
  void finish(const nn::Pass& pass, int64_t layer, nn::Tensor& x) const;
  void embed(const nn::Pass& pass, const nn::Batch& batch, nn::Tensor& y);
};

Network::Parts::Parts(const Config& c, ckpt::Checkpoint file, const Needs& needs, Pool& pool)
    : config(c),
      checkpoint(std::move(file)),
      context(pool),
      layers(c, needs, layout),
      rotations(rotations_of(c)) {
  assert(needs.heads.size() <= 1);
}

void Network::Parts::load(Dtype products) {
  dtype = products;
  const auto stored = [&](const std::string& name, std::span<const int64_t> shape, bool packed = false) {
    const auto& tensor = stored_tensor(checkpoint, name, shape, config);
    if ((tensor.transposed || !tensor.scales.empty()) && !packed) {
      auto& rows = by_row.emplace_back(tensor.count());
      ckpt::to_f32(tensor, rows);
      return nn::Stored{.dtype = Dtype::f32, .data = std::as_bytes(std::span(rows)).data()};
    }
    return nn::Stored{.dtype = tensor.dtype,
                      .data = tensor.data.data(),
                      .transposed = tensor.transposed,
                      .scales = tensor.scales.empty() ? nullptr : tensor.scales.data()};
  };
  const int64_t table[] = {config.vocab_size, config.embedding_width()};
  words = output_words = stored(kWordTable, table);
  words_copied = !by_row.empty();
  const char* untied = "cls.predictions.decoder.weight";
  if (layers.masked_lm && !config.tied_embeddings && checkpoint.find(untied) != nullptr)
    output_words = stored(untied, table);
  const nn::Weights::Source source = {
      .find = [&](const nn::LayoutEntry& entry) { return stored(entry.name, entry.shape, entry.packed); },
      .release = MappedFile::release};
  weights.emplace(layout, source, context, dtype);
  prepare_positions();
}

// Relative positions do not depend on a batch.
void Network::Parts::prepare_positions() {
  if (!layers.relative_positions) return;
  nn::Pass pass = {.context = context, .weights = *weights, .offsets = {}};
  layers.relative_positions->forward(pass, config.positions, positions);
  pass.positions = &positions;
  for (const auto& layer : layers.encoder) layer.project_positions(pass, projected_positions.emplace_back());
}

// Reads the row of a word from the file: to touch one row of a mapped file may map megabytes around it, and
// after some words the whole table would count as memory of this process. A model without layers does little
// else than this, and a system call for each token would take most of its time.
void Network::Parts::look_up(int32_t id, std::span<float> row) const {
  const size_t size = row.size() * size_of(words.dtype);
  const std::span part(words.data + id * size, size);
  if (words_copied || config.type->words_only) return to_f32(words.dtype, part.data(), row);
  if (words.dtype == Dtype::f32) return checkpoint.read(part, std::as_writable_bytes(row).data());
  std::vector<std::byte> stored(size);
  checkpoint.read(part, stored.data());
  to_f32(words.dtype, stored.data(), row);
}

nn::Pass Network::Parts::pass(const nn::Batch& batch) {
  if (layers.relative_bias) layers.relative_bias->forward(*weights, batch.offsets, bias);
  for (auto& tables : rotations) tables.prepare(batch.offsets);
  return {.context = context,
          .weights = *weights,
          .offsets = batch.offsets,
          .seen = batch.seen,
          .bias = layers.relative_bias ? &bias : nullptr,
          .rotations = rotations,
          .positions = layers.relative_positions ? &positions : nullptr,
          .projected_positions = projected_positions};
}

// Encoder layer `layer`, from 0, with what stands beside it.
void Network::Parts::forward(const nn::Pass& pass, int64_t layer, const nn::Tensor& x,
                             const std::optional<nn::RowSelection>& rows, nn::Tensor& z) {
  if (layer > 0 || !layers.convolution)
    return layers.encoder[layer].forward(pass, x, rows, workspace, saved, z);
  nn::Tensor all;
  nn::Tensor& whole = rows ? all : z;
  layers.encoder[layer].forward(pass, x, {}, workspace, saved, whole);
  layers.convolution->forward(pass, x, convolved, whole);
  if (rows) nn::gather_rows(context, whole, rows->rows, z);
}

// The output of a layer, from 1, if the model normalizes it.
void Network::Parts::finish(const nn::Pass& pass, int64_t layer, nn::Tensor& x) const {
  if (layers.final_norm && layer == config.layers) layers.final_norm->forward(pass, {}, x, nullptr, x, x);
}

// The output of the embeddings.
void Network::Parts::embed(const nn::Pass& pass, const nn::Batch& batch, nn::Tensor& y) {
  nn::Tensor& embedded = layers.projection ? z : y;
  layers.embeddings.forward(pass, std::bind_front(&Parts::look_up, this), batch, of_embeddings, embedded);
  if (layers.projection) layers.projection->forward(context, *weights, embedded, nn::Activation::none, y);
}

Network::Network(const Config& config, ckpt::Checkpoint checkpoint, const Needs& needs, Pool& pool,
                 Dtype dtype)
    : parts_(std::make_unique<Parts>(config, std::move(checkpoint), needs, pool)) {
  parts_->load(dtype);
}

Network::Network(const Directory& directory, const Needs& needs, Pool& pool, Dtype dtype)
    : Network(directory.config, ckpt::Checkpoint::open(directory.path), needs, pool, dtype) {}

Network::~Network() = default;
Network::Network(Network&&) noexcept = default;

const Config& Network::config() const { return parts_->config; }

Dtype arithmetic(const Config& config, std::optional<Dtype> wish) {
  return !wish && !config.quantized.empty() ? Dtype::i8 : nn::arithmetic(wish);
}

Dtype Network::dtype() const { return parts_->dtype; }

std::string Network::cause_of_not_finite() const {
  std::call_once(parts_->searched, [this] {
    if (const auto fault = ckpt::fault_of(parts_->checkpoint); !fault.empty()) parts_->fault = "; " + fault;
  });
  return parts_->fault;
}

std::vector<nn::Tensor> Network::hidden(const nn::Batch& batch, const Wanted& wanted) {
  std::vector<nn::Tensor> states;
  hidden(batch, wanted, states);
  return states;
}

void Network::hidden(const nn::Batch& batch, const Wanted& wanted, std::vector<nn::Tensor>& states) {
  auto& p = *parts_;
  assert(!wanted.layers.empty() && std::ranges::is_sorted(wanted.layers));
  assert(wanted.layers.back() <= static_cast<int>(p.layers.encoder.size()));
  check_batch(p.config, batch);
  states.resize(wanted.layers.size());
  auto next = states.begin();  // next one to compute
  const int last = wanted.layers.back();
  const auto keep_if_wanted = [&](int layer, const nn::Tensor& x) {
    if (layer != wanted.layers[next - states.begin()]) return;
    if (wanted.rows) {
      nn::gather_rows(p.context, x, *wanted.rows, *next++);
    } else {
      next->reshape(x.rows(), x.cols());
      for (int64_t row = 0; row < x.rows(); ++row) std::ranges::copy(x.values(row), next->row(row));
      ++next;
    }
  };
  const nn::Pass pass = p.pass(batch);
  p.embed(pass, batch, last == 0 && !wanted.rows ? *next : p.x);
  if (last == 0) {
    if (wanted.rows) keep_if_wanted(0, p.x);
    return;
  }
  keep_if_wanted(0, p.x);
  for (int layer = 1; layer < last; ++layer) {
    p.forward(pass, layer - 1, p.x, {}, p.z);
    std::swap(p.x, p.z);
    keep_if_wanted(layer, p.x);
  }
  if (wanted.rows) {
    const auto offsets = offsets_among(*wanted.rows, batch);
    const nn::RowSelection selection = {.rows = *wanted.rows, .offsets = offsets};
    p.forward(pass, last - 1, p.x, selection, *next);
  } else {
    p.forward(pass, last - 1, p.x, {}, *next);
  }
  p.finish(pass, last, *next);
}

std::vector<std::vector<std::vector<float>>> Network::attention(const nn::Batch& batch,
                                                                const std::vector<int>& layers) {
  auto& p = *parts_;
  assert(!layers.empty() && layers.front() > 0 && layers.back() <= static_cast<int>(p.layers.encoder.size()));
  std::vector<int> inputs;
  for (const int layer : layers) inputs.push_back(layer - 1);
  const auto states = hidden(batch, {.layers = inputs, .rows = {}});
  const nn::Pass pass = p.pass(batch);
  std::vector<std::vector<std::vector<float>>> weights;
  for (size_t i = 0; i < inputs.size(); ++i)
    weights.push_back(p.layers.encoder[inputs[i]].attention_weights(pass, states[i], p.saved));
  return weights;
}

const nn::ByDistance<float>* Network::trace(const nn::Batch& batch, std::span<const int64_t> states,
                                            std::span<const int64_t> projected, Trace& trace) {
  auto& p = *parts_;
  check_batch(p.config, batch);
  nn::Pass pass = p.pass(batch);
  trace.states.resize(states.size());
  trace.projected.resize(projected.size());
  const auto last = std::max(states.empty() ? 0 : states.back(), projected.back() - 1);
  p.embed(pass, batch, p.x);
  for (int64_t layer = 0;; ++layer) {  // p.x is its output
    for (size_t i = 0; i < states.size(); ++i)
      if (states[i] == layer) nn::scale(p.context, 1, p.x, trace.states[i]);
    const auto next = std::ranges::find(projected, layer + 1);
    auto* const qkv = next == projected.end() ? nullptr : &trace.projected[next - projected.begin()];
    const bool ends = layer == last;
    if (ends && qkv != nullptr) p.layers.encoder[layer].project(pass, p.x, p.saved, *qkv);
    if (ends) return pass.bias;
    pass.keeps_projected = qkv != nullptr;
    p.forward(pass, layer, p.x, {}, p.z);
    std::swap(p.x, p.z);
    p.finish(pass, layer + 1, p.x);
    if (qkv != nullptr) std::swap(p.saved.attention.qkv, *qkv);
  }
}

nn::Tensor Network::head_input(const nn::Batch& batch, std::vector<int64_t> rows) {
  auto& p = *parts_;
  std::vector<int> layers(p.layers.encoder.size() + 1);
  std::iota(layers.begin(), layers.end(), 0);
  if (!p.layers.mix) layers.erase(layers.begin(), layers.end() - 1);
  Wanted wanted = {.layers = std::move(layers), .rows = {}};
  if (!p.layers.reads_means && !p.layers.context_norm) wanted.rows = rows;
  auto states = hidden(batch, wanted);
  nn::Tensor mixed;
  if (p.layers.mix) p.layers.mix->forward(p.context, *p.weights, states, mixed);
  nn::Tensor& input = p.layers.mix ? mixed : states.back();
  if (wanted.rows) return std::move(input);
  nn::Tensor read;
  if (p.layers.reads_means) {
    nn::mean_rows(p.context, input, sequences_of(rows, batch), read);
  } else {
    nn::add_first_rows(p.context, batch.offsets, input);
    nn::gather_rows(p.context, input, rows, read);
  }
  return read;
}

nn::Tensor Network::pooled(const nn::Tensor& rows) {
  auto& p = *parts_;
  nn::Tensor y;
  p.layers.dense.value().forward(p.context, *p.weights, rows, p.layers.dense_activation, y);
  if (const auto& norm = p.layers.dense_norm)
    norm->forward({.context = p.context, .weights = *p.weights, .offsets = {}}, {}, y, nullptr, y, y);
  return y;
}

nn::Tensor Network::logits(const nn::Tensor& rows) {
  auto& p = *parts_;
  nn::Tensor y, logits;
  if (const auto& head = p.layers.masked_lm) {
    head->dense.forward(p.context, *p.weights, rows, head->activation, y);
    head->norm.forward({.context = p.context, .weights = *p.weights, .offsets = {}}, {}, y, nullptr, y, y);
    head->decoder.forward(p.context, *p.weights, p.output_words, {y}, logits);
    return logits;
  }
  const nn::Tensor* input = &rows;
  if (const auto& norm = p.layers.context_norm) {
    norm->forward({.context = p.context, .weights = *p.weights, .offsets = {}}, {}, rows, nullptr, y, y);
    input = &y;
  }
  nn::Tensor dense;
  if (p.layers.dense) input = &(dense = pooled(*input));
  p.layers.output.value().forward(p.context, *p.weights, *input, nn::Activation::none, logits);
  return logits;
}

}  // namespace bert::model
