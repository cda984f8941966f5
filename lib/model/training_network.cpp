#include "model/training_network.h"

#include <algorithm>
#include <cassert>

#include "base/error.h"
#include "model/training_layers.h"

namespace bert::model {
namespace {

// dy becomes dy∘act'(u), row by row. y receives act(u), but serves only as scratch space.
void backward_activation(nn::Context& context, nn::Activation activation, const nn::Tensor& u, nn::Tensor& y,
                         nn::Tensor& dy) {
  y.reshape(u.rows(), u.cols());
  context.pool().run_grid(u.rows(), [&](int64_t row, int) {
    context.kernels().activation_backward(u.cols(), activation, u.row(row), dy.row(row), y.row(row),
                                          dy.row(row));
  });
}

}  // namespace

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
  std::vector<int64_t> head_places, head_offsets;  // the rows that the head reads: in top(), and by sequence
  std::optional<Through> through;                  // of forward_layers
  std::optional<nn::DropoutSeed> dropout_seed;
  Keep keep = Keep::activations;
  nn::ByDistance<float> bias;
  nn::ByDistance<double> dbias;
  nn::Tensor sum;                  // input of the embeddings' layer normalization
  nn::Tensor embedded, dembedded;  // input of the projection and its gradient
  std::vector<nn::Tensor> inputs;  // inputs of the layers that are kept; the last one is the output [R,H]
  std::vector<nn::EncoderLayer::Saved> saved;  // one for each kept layer, or one shared by all
  nn::Tensor projected;                        // of the last layer, with Through::projected
  LayerGradients of_layers;                    // from losses besides heads
  nn::Tensor dtop, dx;                         // gradients of the output and of a layer's input
  std::vector<nn::Tensor> states;              // for the weighted sum: each layer at the output rows
  nn::Tensor mixed, dmixed;                    // the weighted sum, which is then the output, and its gradient

  nn::EncoderLayer::Workspace workspace;
  nn::Tensor vocab_logits;                                // for the masked-language-model loss
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
            .bias = net.relative_bias ? &bias : nullptr};
  }
  nn::Tensor& top() { return net.mix ? mixed : inputs.back(); }
  size_t frozen_layers() const { return frozen.value_or(0); }
  bool encoder_learns() const { return !frozen || frozen_layers() < net.encoder.size(); }
  bool input_learns() const { return net.mix || encoder_learns(); }  // anything below the heads
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
  void run(const nn::Batch& batch, const nn::DropoutSeed* dropout_seed, Keep keep);
  void keep_state(size_t layer, const nn::Tensor& x);
  void backward_mix();
  void finish_level(int64_t level, const Ready& ready);
};

TrainingNetwork::Parts::Parts(const Config& c, const Heads& heads, std::shared_ptr<TrainingNumbers> all)
    : TrainingLayers(c, heads, all->layout),
      config(c),
      numbers(std::move(all)),
      context(numbers->context),
      layout(numbers->layout),
      parameters(numbers->parameters),
      gradients(numbers->gradients),
      weights(numbers->weights) {}

std::vector<int64_t> TrainingNetwork::Parts::places(std::span<const int64_t> rows) const {
  std::vector<int64_t> places;
  for (const int64_t row : rows) {
    const auto found = std::ranges::lower_bound(rows_wanted, row);
    assert(found != rows_wanted.end() && *found == row);
    places.push_back(found - rows_wanted.begin());
  }
  return places;
}

TrainingNetwork::TrainingNetwork(const Config& config, const Heads& heads, Pool& pool, Dtype dtype)
    : parts_(std::make_unique<Parts>(config, heads,
                                     std::make_shared<TrainingNumbers>(config, heads, pool, dtype))) {
  if (config.generator_heads == 0) return;
  parts_->numbers->layout.name_by(name_in_generator);
  parts_->generator.emplace(
      TrainingNetwork(std::make_unique<Parts>(generator_of(config), generator_heads(), parts_->numbers)));
  parts_->generator->parts_->prefix = kGeneratorPrefix;
}
TrainingNetwork::TrainingNetwork(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
TrainingNetwork::~TrainingNetwork() = default;
TrainingNetwork::TrainingNetwork(TrainingNetwork&&) noexcept = default;

const Config& TrainingNetwork::config() const { return parts_->config; }
TrainingNetwork* TrainingNetwork::generator() { return parts_->generator ? &*parts_->generator : nullptr; }
void TrainingNetwork::freeze(std::optional<int64_t> layers) {
  assert(!layers || !parts_->generator);
  const auto most = parts_->config.layers;
  if (layers && *layers > 0 && parts_->config.layer_groups > 0)
    throw Error("cannot freeze ", *layers, " encoder layers of a model whose layers share weights");
  if (layers && (*layers < 0 || *layers > most))
    throw Error("cannot freeze ", *layers, " encoder layers, the model has ", most);
  parts_->frozen = layers;
}

nn::Params& TrainingNetwork::parameters() { return parts_->parameters; }
nn::Params& TrainingNetwork::gradients() {
  parts_->gradients.settle(parts_->context.pool());
  return parts_->gradients;
}
nn::Context& TrainingNetwork::context() { return parts_->context; }
void TrainingNetwork::clear_gradients() { parts_->gradients.clear(); }
void TrainingNetwork::refresh() { parts_->weights.refresh(parts_->context); }

std::vector<std::string> TrainingNetwork::load(const ckpt::Checkpoint& checkpoint, std::string_view except) {
  std::vector<std::string> missing;
  const auto& entries = parts_->layout.entries();
  for (size_t i = 0; i < entries.size(); ++i) {
    if (!entries[i].name.starts_with(parts_->prefix)) continue;
    const auto name = entries[i].name.substr(parts_->prefix.size());
    if (!except.empty() && name.starts_with(except)) continue;
    if (checkpoint.find(name) == nullptr) {
      missing.push_back(name);
      continue;
    }
    const auto& tensor = stored_tensor(checkpoint, name, entries[i].shape, parts_->config);
    ckpt::to_f32(tensor, parts_->parameters.tensor(i));
  }
  return missing;
}

void TrainingNetwork::forward(const nn::Batch& batch, std::span<const int64_t> rows,
                              const nn::DropoutSeed* dropout_seed, Keep keep) {
  auto& p = *parts_;
  p.rows_wanted.assign(rows.begin(), rows.end());
  p.row_offsets = offsets_among(rows, batch);
  p.through.reset();
  p.run(batch, dropout_seed, keep);
}

void TrainingNetwork::forward_layers(const nn::Batch& batch, Through through,
                                     const nn::DropoutSeed* dropout_seed, Keep keep) {
  auto& p = *parts_;
  assert(keep != Keep::nothing && !p.net.mix);
  p.through = through;
  p.run(batch, dropout_seed, keep);
}

void TrainingNetwork::Parts::run(const nn::Batch& of, const nn::DropoutSeed* seed, Keep kept) {
  check_batch(config, of);
  batch = &of;
  dropout_seed = seed == nullptr ? std::nullopt : std::optional(*seed);
  keep = kept;
  const size_t count = net.encoder.size() - (through == Through::projected ? 1 : 0);  // whole layers
  const size_t first_kept = keep == Keep::nothing ? count : frozen_layers();
  inputs.resize(count - first_kept + 1);
  saved.resize(keep == Keep::activations ? std::max<size_t>(1, count - first_kept) : 1);
  of_layers.clear(net.encoder.size());
  if (net.relative_bias) net.relative_bias->forward(weights, batch->offsets, bias);
  const auto table = parameters.tensor(words);
  const auto look_up = [&](int32_t id, std::span<float> row) {
    std::ranges::copy(table.subspan(id * row.size(), row.size()), row.begin());
  };
  const auto& projection = net.projection;
  net.embeddings.forward(pass(), look_up, *batch, sum, projection ? embedded : inputs[0]);
  if (projection) projection->forward(context, weights, embedded, nn::Activation::none, inputs[0]);
  keep_state(0, inputs[0]);
  for (size_t i = 0; i < first_kept; ++i) {
    net.encoder[i].forward(pass(), inputs[0], selection(i), workspace, saved[0], dx);
    std::swap(inputs[0], dx);
    keep_state(i + 1, inputs[0]);
  }
  for (size_t i = first_kept; i < count; ++i) {
    net.encoder[i].forward(pass(), inputs[i - first_kept], selection(i), workspace, saved_of(i),
                           inputs[i + 1 - first_kept]);
    keep_state(i + 1, inputs[i + 1 - first_kept]);
  }
  if (through == Through::projected) net.encoder.back().attention().project(pass(), inputs.back(), projected);
  if (net.mix) net.mix->forward(context, weights, states, mixed);
  if (keep == Keep::nothing) return;
  dtop.reshape(top().rows(), config.hidden);
  for (int64_t row = 0; row < dtop.rows(); ++row) std::fill_n(dtop.row(row), dtop.cols(), 0.0f);
}

const nn::Tensor& TrainingNetwork::state(int64_t layer) const {
  return parts_->inputs[layer - parts_->frozen_layers()];
}
const nn::Tensor& TrainingNetwork::projected(int64_t layer) const {
  auto& p = *parts_;
  const bool is_last = layer == std::ssize(p.net.encoder) && p.through == Through::projected;
  return is_last ? p.projected : p.saved_of(layer - 1).attention.qkv;
}
nn::Tensor& TrainingNetwork::state_gradient(int64_t layer) {
  const auto& x = state(layer);
  return LayerGradients::at(parts_->of_layers.states[layer], x.rows(), x.cols());
}
nn::Tensor& TrainingNetwork::projected_gradient(int64_t layer) {
  const auto& x = projected(layer);
  return LayerGradients::at(parts_->of_layers.projected[layer - 1], x.rows(), x.cols());
}
void TrainingNetwork::ignore_key_bias() { parts_->key_bias = false; }

// Keeps the output of a layer (0: the embeddings) at the output rows, for the weighted sum.
void TrainingNetwork::Parts::keep_state(size_t layer, const nn::Tensor& x) {
  if (!net.mix) return;
  states.resize(net.encoder.size() + 1);
  if (layer < net.encoder.size()) return nn::gather_rows(context, x, rows_wanted, states[layer]);
  nn::scale(context, 1, x, states[layer]);
}

// Turns the gradient of the weighted sum into that of the last layer.
void TrainingNetwork::Parts::backward_mix() {
  net.mix->backward(context, weights, states, dtop, gradients);
  if (!encoder_learns()) return;
  std::swap(dmixed, dtop);
  nn::scale(context, net.mix->factors(weights).back(), dmixed, dtop);
}

// forward:  t = norm(act(u)), u = W·h + b at the rows; logits = t·Eᵀ + b
nn::Loss TrainingNetwork::masked_lm(std::span<const int64_t> rows, std::span<const int32_t> gold,
                                    std::optional<float> weight, const nn::TiedDecoder::Visit& visit) {
  auto& p = *parts_;
  auto& head = p.net.masked_lm.value();
  assert(rows.size() == gold.size());
  if (rows.empty()) return {};
  const auto words = p.parameters.tensor(p.words);
  const auto places = p.places(rows);
  nn::gather_rows(p.context, p.top(), places, p.rows);
  head.dense.forward(p.context, p.weights, p.rows, head.activation, p.transformed, &p.u);
  head.norm.forward(p.pass(), {}, p.transformed, nullptr, p.normed, p.normed);
  if (!weight)
    return head.decoder.loss(p.context, p.weights, words, p.normed, gold, nullptr, p.vocab_logits, visit);

  const nn::TiedDecoder::Gradient gradient = {
      .weight = *weight,
      .words = p.frozen ? std::nullopt : std::optional(p.gradients.target(p.words)),
      .gradients = p.gradients,
      .dx = p.drows};
  const auto loss =
      head.decoder.loss(p.context, p.weights, words, p.normed, gold, &gradient, p.vocab_logits, visit);
  head.norm.backward(p.pass(), p.transformed, p.drows, p.drows, p.gradients);
  backward_activation(p.context, head.activation, p.u, p.scrap, p.drows);
  head.dense.backward_weights(p.context, p.weights, p.rows, p.drows, 0, p.gradients);
  if (!p.input_learns()) return loss;
  head.dense.backward_input(p.context, p.weights, p.drows, 0, nn::Into::replace, p.rows);
  nn::add_rows(p.context, p.rows, places, p.dtop);
  return loss;
}

// The gradients of a level's parameters are complete.
void TrainingNetwork::Parts::finish_level(int64_t level, const Ready& ready) {
  for (const int place : in_all_rows) {
    if (level_of(layout.entries()[place].name) == level) std::ranges::fill(gradients.tensor(place), 0.0f);
  }
  if (ready) ready(level, gradients);
}

nn::Loss TrainingNetwork::next_sentence(std::span<const int32_t> labels, std::optional<float> weight) {
  nn::Tensor& dlogits = logits(pooled_rows(config(), *parts_->batch));
  assert(static_cast<int64_t>(labels.size()) == dlogits.rows());
  const auto loss = nn::softmax_loss(context(), {.gold = labels}, weight.value_or(0), dlogits);
  if (weight) logits_gradient(dlogits);
  return loss;
}

// forward:  logits = W·drop(x) + b; x = h at the rows, or act(Wp·drop(h) + bp)
nn::Tensor& TrainingNetwork::logits(std::span<const int64_t> rows) {
  auto& p = *parts_;
  p.head_places = p.places(rows);
  p.head_offsets = offsets_among(rows, *p.batch);
  nn::gather_rows(p.context, p.top(), p.head_places, p.rows);
  nn::drop(p.head_pass(), p.input_dropout, p.rows, p.rows);
  if (const auto& dense = p.net.dense)
    dense->forward(p.context, p.weights, p.rows, p.net.dense_activation, p.dense, &p.u);
  nn::drop(p.head_pass(), p.head_dropout, p.head_input(), p.head_input());
  p.net.output.value().forward(p.context, p.weights, p.head_input(), nn::Activation::none, p.logits);
  return p.logits;
}

void TrainingNetwork::logits_gradient(const nn::Tensor& dlogits) {
  auto& p = *parts_;
  const auto& dense = p.net.dense;
  p.net.output->backward_weights(p.context, p.weights, p.head_input(), dlogits, 0, p.gradients);
  if (!dense && !p.input_learns()) return;
  p.net.output->backward_input(p.context, p.weights, dlogits, 0, nn::Into::replace, p.drows);
  nn::drop(p.head_pass(), p.head_dropout, p.drows, p.drows);
  if (dense) {
    backward_activation(p.context, p.net.dense_activation, p.u, p.scrap, p.drows);
    dense->backward_weights(p.context, p.weights, p.rows, p.drows, 0, p.gradients);
    if (!p.input_learns()) return;
    dense->backward_input(p.context, p.weights, p.drows, 0, nn::Into::replace, p.rows);
    nn::drop(p.head_pass(), p.input_dropout, p.rows, p.rows);
  }
  nn::add_rows(p.context, dense ? p.rows : p.drows, p.head_places, p.dtop);
}

const nn::Tensor& TrainingNetwork::hidden() const { return parts_->top(); }
void TrainingNetwork::hidden_gradient(const nn::Tensor& gradient) {
  assert(gradient.rows() == parts_->dtop.rows() && gradient.cols() == parts_->dtop.cols());
  parts_->dtop.copy(gradient);
}

void TrainingNetwork::project(const nn::Tensor& x, nn::Tensor& y) {
  auto& p = *parts_;
  p.pooled.value().forward(p.context, p.weights, x, p.config.projection.activation, y, &p.pooled_u);
}

void TrainingNetwork::project_gradient(const nn::Tensor& x, const nn::Tensor& dy, nn::Tensor& dx) {
  auto& p = *parts_;
  p.dpooled_u.copy(dy);
  backward_activation(p.context, p.config.projection.activation, p.pooled_u, p.scrap, p.dpooled_u);
  p.pooled.value().backward_weights(p.context, p.weights, x, p.dpooled_u, 0, p.gradients);
  p.pooled->backward_input(p.context, p.weights, p.dpooled_u, 0, nn::Into::replace, dx);
}

void TrainingNetwork::backward(const Ready& ready) {
  auto& p = *parts_;
  assert(p.keep != Keep::nothing);
  if (p.net.mix) p.backward_mix();
  p.finish_level(kAboveLayers, ready);
  auto pass = p.pass();
  if (p.net.relative_bias && !p.frozen) {
    p.dbias.resize(p.config.heads, p.bias.longest);
    pass.dbias = &p.dbias;
  }
  nn::Tensor* dz = &p.dtop;
  nn::Tensor* dx = &p.dx;
  if (p.through == Through::output) p.of_layers.add_state(p.context, p.net.encoder.size(), *dz);
  for (size_t i = p.net.encoder.size(); i-- > p.frozen_layers();) {
    const size_t place = i - p.frozen_layers();  // index in inputs
    if (p.frozen && place == 0) pass.below = nn::Pass::Below::frozen;
    const nn::Tensor& x = p.inputs[place];
    const auto& dprojected = p.of_layers.projected[i];
    if (p.through == Through::projected && i + 1 == p.net.encoder.size()) {
      const auto key_bias = p.key_bias ? nn::Linear::Bias::yes : nn::Linear::Bias::no;
      p.net.encoder[i].attention().project_backward(pass, x, dprojected, key_bias, p.gradients, *dx);
    } else {
      auto& saved = p.saved_of(i);
      const auto selection = p.selection(i);
      if (!selection && p.keep == Keep::inputs)
        p.net.encoder[i].forward(pass, x, selection, p.workspace, saved, p.inputs[place + 1]);
      pass.dprojected = dprojected.rows() > 0 ? &dprojected : nullptr;
      p.net.encoder[i].backward(pass, x, selection, saved, *dz, p.workspace, p.gradients, *dx);
    }
    std::swap(dz, dx);
    if (p.net.mix && pass.below == nn::Pass::Below::learns)
      nn::add_rows(p.context, p.net.mix->factors(p.weights)[i], p.dmixed, p.rows_wanted, *dz);
    if (pass.below == nn::Pass::Below::learns) p.of_layers.add_state(p.context, i, *dz);
    const auto stored = p.config.stored_layer(i);
    const bool is_complete = i == 0 || p.config.stored_layer(i - 1) != stored;
    if (is_complete) p.finish_level(stored + 1, ready);
  }
  if (p.frozen) return;
  p.gradients.settle(p.context.pool());
  if (p.net.relative_bias) p.net.relative_bias->backward(p.dbias, p.gradients);
  if (const auto& projection = p.net.projection) {
    projection->backward_weights(p.context, p.weights, p.embedded, *dz, 0, p.gradients);
    projection->backward_input(p.context, p.weights, *dz, 0, nn::Into::replace, p.dembedded);
    dz = &p.dembedded;
  }
  p.net.embeddings.backward(pass, *p.batch, p.sum, *dz, p.gradients.tensor(p.words), p.gradients);
  p.finish_level(0, ready);
}

}  // namespace bert::model
