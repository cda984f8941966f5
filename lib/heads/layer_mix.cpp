#include "heads/layer_mix.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/option.h"

namespace bert::heads {
namespace {

// For the mean, weights are scaled to sum to 1.
std::vector<double> factors(const LayerMix::Recipe& recipe) {
  std::vector<double> weights = recipe.weights;
  if (weights.empty()) weights.assign(recipe.layers.size(), 1);
  if (recipe.combine == Combine::sum) return weights;
  double sum = 0;
  for (const double w : weights) sum += w;
  if (!(std::abs(sum) > 0)) throw Error(opt::layer_weights, " sum to 0, which has no mean");
  for (double& w : weights) w /= sum;
  return weights;
}

}  // namespace

int layer_number(int layer, LayerNumbering numbering, int layer_count) {
  const int first = numbering == LayerNumbering::google ? 1 : 0;
  const int found = layer < 0 ? layer_count + 1 + layer : layer + first;
  if (layer_count < first) throw Error("the model is a table of the vectors of words and has no layers");
  if (found < first || found > layer_count) {
    throw Error("layer ", layer, " is not in the model: layers are ", 0, " to ", layer_count - first,
                " or -1 to ", first - layer_count - 1);
  }
  return found;
}

LayerMix::LayerMix(const Recipe& recipe, int layer_count, int64_t hidden) {
  for (const int layer : recipe.layers) wanted_.push_back(layer_number(layer, recipe.numbering, layer_count));
  const std::vector<int> asked = wanted_;
  std::sort(wanted_.begin(), wanted_.end());
  wanted_.erase(std::unique(wanted_.begin(), wanted_.end()), wanted_.end());
  for (const int layer : asked) {
    picks_.push_back(std::lower_bound(wanted_.begin(), wanted_.end(), layer) - wanted_.begin());
  }
  if (!recipe.weights.empty() && recipe.weights.size() != asked.size()) {
    throw Error(recipe.weights.size(), " layer weights were given for ", asked.size(), " layers");
  }
  if (!recipe.weights.empty() && recipe.combine == Combine::concat) {
    throw Error("layer weights require ", opt::combine, " sum or mean");
  }
  if (recipe.combine != Combine::concat) weights_ = factors(recipe);
  if (weights_ == std::vector<double>{1}) weights_.clear();
  width_ = recipe.combine == Combine::concat ? hidden * std::ssize(asked) : hidden;
}

std::span<const float> LayerMix::token(std::span<const nn::Tensor> layers, int64_t row,
                                       std::vector<float>& scratch) const {
  if (weights_.empty() && picks_.size() == 1) return layer(layers, row, 0);
  scratch.resize(width_);
  if (weights_.empty()) {
    auto to = scratch.begin();
    for (size_t k = 0; k < picks_.size(); ++k) to = std::ranges::copy(layer(layers, row, k), to).out;
    return scratch;
  }
  for (size_t i = 0; i < scratch.size(); ++i) {
    double sum = 0;
    for (size_t k = 0; k < picks_.size(); ++k) sum += weights_[k] * layers[picks_[k]].row(row)[i];
    scratch[i] = sum;
  }
  return scratch;
}

}  // namespace bert::heads
