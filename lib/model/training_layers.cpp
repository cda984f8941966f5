#include "model/training_layers.h"

#include <algorithm>
#include <cassert>

namespace bert::model {
namespace {

float dropout_of_head(const NetworkLayers& layers, const Config& config) {
  if (layers.head == nullptr) return 0;
  if (layers.head == head_of(task::Task::answer)) return config.answer_dropout;
  if (!layers.head->dropout) return 0;
  const bool as_hidden = config.type->tags_as_hidden && layers.head->reads == Reads::tokens;
  return as_hidden ? config.hidden_dropout : config.classifier_dropout;
}

// Before the first of the two layers of a classifier.
float dropout_of_head_input(const NetworkLayers& layers, const Config& config) {
  if (layers.head == nullptr) return 0;
  if (config.type->disentangled) return layers.head->reads == Reads::sequences ? config.pooler_dropout : 0;
  return config.type->drops_head_input && layers.head->own_pooler ? config.classifier_dropout : 0;
}

// Parameters that add the same value to all rows that a row-comparing loss uses: the head's bias and, if it
// reads tokens without dropout, the bias of the last layer normalization.
std::vector<int> same_in_all_rows(const NetworkLayers& layers, float dropout, const Config& config,
                                  const nn::Layout& layout) {
  if (layers.head == nullptr || !layers.head->compares_rows) return {};
  std::vector<std::string> names = {std::string(layers.head->tensors(*config.type)) + ".bias"};
  const bool shared = config.layer_groups > 0;  // its bias then also adds to the inputs of layers
  if (layers.head->reads == Reads::tokens && dropout == 0 && !layers.masked_lm && !shared && !layers.dense)
    names.push_back(layer_name(config.stored_layer(config.layers - 1)) + ".output.LayerNorm.bias");
  std::vector<int> places;
  for (const auto& name : names) {
    const auto found = std::ranges::find(layout.entries(), name, &nn::LayoutEntry::name);
    assert(found != layout.entries().end());
    places.push_back(found - layout.entries().begin());
  }
  return places;
}

std::optional<nn::Linear> projection_of(const Config& config, nn::Layout& layout) {
  const auto& projection = config.projection;
  if (projection.out == 0) return std::nullopt;
  return nn::Linear(std::string(kProjection), projection.out, projection.in, layout,
                    projection.bias ? nn::Linear::Bias::yes : nn::Linear::Bias::no);
}

std::optional<int> query_table_of(const Config& config, nn::Layout& layout) {
  if (config.query_table == 0) return std::nullopt;
  return layout.add_plain(std::string(kQueryTable), {config.query_table});
}

nn::Layout layout_of(const Config& config, const Heads& heads) {
  nn::Layout layout;
  const TrainingLayers layers(config, heads, layout);
  if (config.generator_heads == 0) return layout;
  layout.name_by(naming_of_generator(config));
  const TrainingLayers of_generator(generator_of(config), generator_heads(), layout);
  layout.name_by({});
  return layout;
}

// None if each of these embeddings is one tensor for both.
std::vector<TrainingNumbers::Pair> disentangled_in(const nn::Layout& layout, const ModelType& type) {
  std::vector<TrainingNumbers::Pair> pairs;
  const auto& entries = layout.entries();
  for (auto own = entries.begin(); own != entries.end(); ++own) {
    if (!is_shared(own->name, type)) continue;
    const auto its =
        std::ranges::find(entries, std::string(kGeneratorPrefix) + own->name, &nn::LayoutEntry::name);
    if (its == entries.end()) continue;
    pairs.push_back({static_cast<int>(own - entries.begin()), static_cast<int>(its - entries.begin())});
  }
  return pairs;
}

}  // namespace

TrainingLayers::TrainingLayers(const Config& c, const Heads& heads, nn::Layout& layout)
    : words(layout.add_plain(kWordTable, {c.vocab_size, c.embedding_width()})),
      net(c, {.heads = heads}, layout),
      pooled(projection_of(c, layout)),
      query_table(query_table_of(c, layout)),
      head_dropout{.layer = static_cast<uint64_t>(c.layers) + 1,
                   .site = nn::DropoutSite::pooled,
                   .rate = nn::DropoutRate(dropout_of_head(net, c))},
      input_dropout{.layer = static_cast<uint64_t>(c.layers) + 1,
                    .site = nn::DropoutSite::feed_forward,
                    .rate = nn::DropoutRate(dropout_of_head_input(net, c))},
      in_all_rows(same_in_all_rows(net, dropout_of_head(net, c), c, layout)) {}

TrainingNumbers::TrainingNumbers(const Config& config, const Heads& heads, Pool& pool, Dtype dtype)
    : context(pool),
      layout(layout_of(config, heads)),
      parameters(layout),
      gradients(layout),
      weights(parameters, dtype),
      disentangled(disentangled_in(layout, *config.type)) {}

void LayerGradients::clear(size_t layers) {
  states.resize(layers + 1);
  projected.resize(layers);
  for (auto* gradients : {&states, &projected})
    for (auto& gradient : *gradients) gradient.reshape(0, 0);
}

nn::Tensor& LayerGradients::at(nn::Tensor& gradient, int64_t rows, int64_t cols) {
  if (gradient.rows() == 0) clear(rows, cols, gradient);
  return gradient;
}

void LayerGradients::clear(int64_t rows, int64_t cols, nn::Tensor& gradient) {
  gradient.reshape(rows, cols);
  for (int64_t row = 0; row < rows; ++row) std::fill_n(gradient.row(row), gradient.stride(), 0.0f);
}

void LayerGradients::add_state(nn::Context& context, size_t layer, nn::Tensor& to) const {
  const auto& gradient = states[layer];
  context.pool().run_grid(gradient.rows(), [&](int64_t row, int) {
    context.kernels().add(gradient.cols(), gradient.row(row), to.row(row));
  });
}

std::function<std::string(std::string)> naming_of_generator(const Config& discriminator) {
  return [discriminator](std::string name) { return name_in_generator(std::move(name), discriminator); };
}

Heads generator_heads() { return {head_of(task::Task::fill)}; }

}  // namespace bert::model
