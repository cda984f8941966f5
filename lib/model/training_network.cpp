#include "model/training_network.h"

#include <algorithm>
#include <cassert>
#include <numeric>

#include "base/error.h"
#include "model/training_network_parts.h"

namespace bert::model {
TrainingNetwork::Parts::Parts(const Config& c, const Heads& heads, std::shared_ptr<TrainingNumbers> all)
    : TrainingLayers(c, heads, all->layout),
      config(c),
      numbers(std::move(all)),
      context(numbers->context),
      layout(numbers->layout),
      parameters(numbers->parameters),
      gradients(numbers->gradients),
      weights(numbers->weights),
      rotations(rotations_of(c)) {
  config.quantized.clear();  // its numbers are real
}

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
  parts_->numbers->layout.name_by(naming_of_generator(config));
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

void TrainingNetwork::copy_embeddings() {
  auto& parameters = parts_->parameters;
  for (const auto& [own, its] : parts_->numbers->disentangled)
    std::ranges::copy(parameters.tensor(own), parameters.tensor(its).begin());
}

// forward:  E = sg(E_G) + D          E of this network, E_G of its generator, sg: no gradient goes through
// so        dD = dE, and the loss of this network adds nothing to dE_G
void TrainingNetwork::begin_update() { parts_->add_embeddings(-1); }

void TrainingNetwork::end_update() {
  parts_->add_embeddings(1);
  refresh();
}

// Adds the embeddings of the generator, times `factor`.
void TrainingNetwork::Parts::add_embeddings(float factor) {
  constexpr int64_t kBlock = 1 << 14;
  for (const auto& [own, its] : numbers->disentangled) {
    const auto to = parameters.tensor(own), from = parameters.tensor(its);
    const auto count = std::ssize(to);
    context.pool().run_grid((count + kBlock - 1) / kBlock, [&](int64_t block, int) {
      const auto end = std::min(count, (block + 1) * kBlock);
      for (int64_t i = block * kBlock; i < end; ++i) to[i] += factor * from[i];
    });
  }
}

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
  if (std::ranges::any_of(missing, is_of_generator)) copy_embeddings();
  return missing;
}

void TrainingNetwork::forward(const nn::Batch& batch, std::span<const int64_t> rows,
                              const nn::DropoutSeed* dropout_seed, Keep keep) {
  auto& p = *parts_;
  p.rows_wanted.assign(rows.begin(), rows.end());
  if (p.net.reads_means) {
    p.rows_wanted.resize(batch.tokens());
    std::iota(p.rows_wanted.begin(), p.rows_wanted.end(), 0);
  }
  assert(!p.net.context_norm || std::ssize(rows) == batch.tokens());
  p.row_offsets = offsets_among(p.rows_wanted, batch);
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
  for (auto& tables : rotations) tables.prepare(batch->offsets);
  if (net.relative_positions) prepare_positions();
  const auto table = parameters.tensor(words);
  const auto look_up = [&](int32_t id, std::span<float> row) {
    std::ranges::copy(table.subspan(id * row.size(), row.size()), row.begin());
  };
  const auto& projection = net.projection;
  net.embeddings.forward(pass(), look_up, *batch, of_embeddings, projection ? embedded : inputs[0]);
  if (projection) projection->forward(context, weights, embedded, nn::Activation::none, inputs[0]);
  keep_state(0, inputs[0]);
  for (size_t i = 0; i < first_kept; ++i) {
    forward(i, inputs[0], saved[0], dx);
    std::swap(inputs[0], dx);
    finish(i + 1);
    keep_state(i + 1, i + 1 == net.encoder.size() ? last() : inputs[0]);
  }
  for (size_t i = first_kept; i < count; ++i) {
    forward(i, inputs[i - first_kept], saved_of(i), inputs[i + 1 - first_kept]);
    finish(i + 1);
    keep_state(i + 1, i + 1 == net.encoder.size() ? last() : inputs[i + 1 - first_kept]);
  }
  if (through == Through::projected) net.encoder.back().project(pass(), inputs.back(), of_last, projected);
  if (net.mix) net.mix->forward(context, weights, states, mixed);
  if (keep == Keep::nothing) return;
  dtop.reshape(top().rows(), config.hidden);
  for (int64_t row = 0; row < dtop.rows(); ++row) std::fill_n(dtop.row(row), dtop.cols(), 0.0f);
}

void TrainingNetwork::Parts::prepare_positions() {
  int64_t longest = 1;
  for (int64_t i = 0; i < batch->sequences(); ++i) longest = std::max(longest, batch->length(i));
  net.relative_positions->forward(pass(), longest, positions);
}

// An encoder layer, with what stands beside it.
void TrainingNetwork::Parts::forward(size_t layer, const nn::Tensor& x, nn::EncoderLayer::Saved& of_layer,
                                     nn::Tensor& z) {
  net.encoder[layer].forward(pass(), x, selection(layer), workspace, of_layer, z);
  if (layer == 0 && net.convolution) net.convolution->forward(pass(), x, convolved, z);
}

const nn::Tensor& TrainingNetwork::state(int64_t layer) const {
  if (layer == std::ssize(parts_->net.encoder)) return parts_->last();
  return parts_->inputs[layer - parts_->frozen_layers()];
}
const nn::ByDistance<float>* TrainingNetwork::attention_bias() const {
  return parts_->net.relative_bias ? &parts_->bias : nullptr;
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
void TrainingNetwork::ignore_key_bias() { parts_->key_bias = !parts_->rotations.empty(); }

// Normalizes the output of the last layer, if the model does so.
void TrainingNetwork::Parts::finish(size_t layer) {
  if (net.final_norm && layer == net.encoder.size())
    net.final_norm->forward(pass(), {}, inputs.back(), nullptr, last_normed, last_normed);
}

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
  if (!encoder_learns() && !net.final_norm) return;
  std::swap(dmixed, dtop);
  nn::scale(context, net.mix->factors(weights).back(), dmixed, dtop);
}

// The gradients of a level's parameters are complete.
void TrainingNetwork::Parts::finish_level(int64_t level, const Ready& ready) {
  for (const int place : in_all_rows) {
    if (level_of(layout.entries()[place].name) == level) std::ranges::fill(gradients.tensor(place), 0.0f);
  }
  if (ready) ready(level, gradients);
}

void TrainingNetwork::backward(const Ready& ready) {
  auto& p = *parts_;
  assert(p.keep != Keep::nothing);
  if (p.net.mix) p.backward_mix();
  if (p.through == Through::output) p.of_layers.add_state(p.context, p.net.encoder.size(), p.dtop);
  if (p.net.final_norm && p.through != Through::projected)
    p.net.final_norm->backward(p.pass(), p.inputs.back(), p.dtop, p.dtop, p.gradients);
  p.finish_level(kAboveLayers, ready);
  auto pass = p.pass();
  const bool learns_bias = p.net.relative_bias && p.net.relative_bias->is_learned() && !p.frozen;
  if (learns_bias) {
    p.dbias.resize(p.config.heads, p.bias.longest);
    pass.dbias = &p.dbias;
  }
  if (p.net.relative_positions && !p.frozen) {
    LayerGradients::clear(p.positions.rows.rows(), p.config.hidden, p.dpositions);
    pass.dpositions = &p.dpositions;
  }
  nn::Tensor* dz = &p.dtop;
  nn::Tensor* dx = &p.dx;
  for (size_t i = p.net.encoder.size(); i-- > p.frozen_layers();) {
    const size_t place = i - p.frozen_layers();  // index in inputs
    if (p.frozen && place == 0) pass.below = nn::Pass::Below::frozen;
    const nn::Tensor& x = p.inputs[place];
    auto& dprojected = p.of_layers.projected[i];
    if (p.through == Through::projected && i + 1 == p.net.encoder.size()) {
      const auto key_bias = p.key_bias ? nn::Linear::Bias::yes : nn::Linear::Bias::no;
      p.net.encoder[i].project_backward(pass, x, dprojected, key_bias, p.of_last, p.gradients, *dx);
    } else {
      auto& saved = p.saved_of(i);
      const auto selection = p.selection(i);
      if (!selection && p.keep == Keep::inputs) p.forward(i, x, saved, p.inputs[place + 1]);
      pass.dprojected = dprojected.rows() > 0 ? &dprojected : nullptr;
      const bool convolves = i == 0 && p.net.convolution;
      auto* const dconvolved = pass.below == nn::Pass::Below::learns ? &p.dconvolved : nullptr;
      if (convolves) p.net.convolution->backward(pass, p.convolved, *dz, p.gradients, dconvolved);
      p.net.encoder[i].backward(pass, x, selection, saved, *dz, p.workspace, p.gradients, *dx);
      if (convolves && dconvolved != nullptr) nn::add(p.context, *dconvolved, *dx);
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
  if (learns_bias) p.net.relative_bias->backward(p.dbias, p.gradients);
  if (p.net.relative_positions)
    p.net.relative_positions->backward(pass, p.positions, p.dpositions, p.gradients);
  if (const auto& projection = p.net.projection) {
    projection->backward_weights(p.context, p.weights, p.embedded, *dz, 0, p.gradients);
    projection->backward_input(p.context, p.weights, *dz, 0, nn::Into::replace, p.dembedded);
    dz = &p.dembedded;
  }
  p.net.embeddings.backward(pass, *p.batch, p.of_embeddings, *dz, p.gradients.tensor(p.words), p.gradients);
  p.finish_level(0, ready);
}

}  // namespace bert::model
