#include "nn/linear.h"

#include <algorithm>
#include <vector>

#include "nn/kernels.h"

namespace bert::nn {
namespace {

constexpr int64_t kTile = Tensor::kRowTile;

const float kZeros[Panels::kWidth] = {};

// The panels of a product: where the numbers, the bias and the 64 columns of the output of each are.
struct Columns {
  std::vector<const float*> panels;
  std::vector<const float*> biases;
  std::vector<int64_t> places;

  void add(const Panels& matrix, const float* bias, int64_t column) {
    for (int64_t p = 0; p < matrix.count(); ++p) {
      const int64_t offset = p * Panels::kWidth;
      panels.push_back(matrix.panel(p));
      biases.push_back(bias == nullptr ? kZeros : bias + offset);
      places.push_back(column + offset);
    }
  }
};

constexpr int64_t kMostPanels = 4;

// How many panels a task takes. Several read the rows of x from a nearer cache, but many tasks share out more
// evenly.
int64_t panels_a_task(int64_t tiles, int64_t panels, int64_t threads) {
  int64_t group = kMostPanels;
  while (group > 1 && tiles * panels < 16 * threads * group) group /= 2;
  return group;
}

// The grid of row tiles × groups of panels. Neighbouring tasks share panels, so that they are read from
// memory once.
void run(Context& context, const Tensor& x, const Columns& columns, Activation activation, Tensor& y) {
  const int64_t tiles = (x.rows() + kTile - 1) / kTile, panels = static_cast<int64_t>(columns.panels.size());
  const int64_t group = panels_a_task(tiles, panels, context.pool().size());
  context.pool().run_grid(tiles * ((panels + group - 1) / group), [&](int64_t i, int) {
    const int64_t first = i % tiles * kTile, rows = std::min(kTile, x.rows() - first);
    const int64_t from = i / tiles * group, count = std::min(group, panels - from);
    alignas(64) float results[kMostPanels * kTile * Panels::kWidth];
    kernels().panel_products(rows, x.cols(), x.row(first), x.stride(), count, &columns.panels[from], results);
    for (int64_t p = 0; p < count; ++p) {
      kernels().finish_tile(rows, Panels::kWidth, results + p * rows * Panels::kWidth, Panels::kWidth,
                            columns.biases[from + p], activation, y.row(first) + columns.places[from + p],
                            y.stride());
    }
  });
}

}  // namespace

Linear::Linear(std::string_view prefix, int64_t outputs, int64_t inputs, Layout& layout, Bias bias)
    : weight_(layout.add_matrix(std::string(prefix) + ".weight", outputs, inputs)),
      bias_(bias == Bias::yes ? layout.add_plain(std::string(prefix) + ".bias", {outputs}) : -1),
      outputs_(outputs) {}

void Linear::forward(Context& context, const Weights& weights, const Tensor& x, Activation activation,
                     Tensor& y) const {
  y.reshape(x.rows(), outputs_);
  Columns columns;
  columns.add(weights.panels(weight_), bias_ < 0 ? nullptr : weights.plain(bias_), 0);
  run(context, x, columns, activation, y);
}

void forward_beside(Context& context, const Weights& weights, const Tensor& x,
                    std::span<const Linear* const> linears, int64_t column, Tensor& y) {
  Columns columns;
  for (const Linear* linear : linears) {
    const float* bias = linear->bias_ < 0 ? nullptr : weights.plain(linear->bias_);
    columns.add(weights.panels(linear->weight_), bias, column);
    column += linear->width();
  }
  run(context, x, columns, Activation::none, y);
}

}  // namespace bert::nn
