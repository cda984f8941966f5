#include "nn/linear.h"

#include <algorithm>
#include <vector>

#include "nn/kernels.h"

namespace bert::nn {
namespace {

constexpr int64_t kTile = Tensor::kRowTile;

const float kZeros[Panels::kWidth] = {};

// One panel of a product: where its numbers, its bias and its 64 columns of the output are.
struct Column {
  const float* panel;
  const float* bias;
  int64_t column;
};

void add_columns(const Panels& panels, const float* bias, int64_t column, std::vector<Column>& columns) {
  for (int64_t p = 0; p < panels.count(); ++p) {
    const int64_t offset = p * Panels::kWidth;
    columns.push_back({panels.panel(p), bias == nullptr ? kZeros : bias + offset, column + offset});
  }
}

// The grid of row tiles × panels. Neighbouring tasks share a panel, so that it is read from memory once.
void run(Context& context, const Tensor& x, std::span<const Column> columns, Activation activation,
         Tensor& y) {
  const int64_t tiles = (x.rows() + kTile - 1) / kTile;
  context.pool().run_grid(tiles * static_cast<int64_t>(columns.size()), [&](int64_t i, int) {
    const auto& column = columns[static_cast<size_t>(i / tiles)];
    const int64_t first = i % tiles * kTile, rows = std::min(kTile, x.rows() - first);
    alignas(64) float tile[kTile * Panels::kWidth];
    kernels().panel_product(rows, x.cols(), x.row(first), x.stride(), column.panel, tile);
    kernels().finish_tile(rows, Panels::kWidth, tile, Panels::kWidth, column.bias, activation,
                          y.row(first) + column.column, y.stride());
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
  std::vector<Column> columns;
  add_columns(weights.panels(weight_), bias_ < 0 ? nullptr : weights.plain(bias_), 0, columns);
  run(context, x, columns, activation, y);
}

void forward_beside(Context& context, const Weights& weights, const Tensor& x,
                    std::span<const Linear* const> linears, int64_t column, Tensor& y) {
  std::vector<Column> columns;
  for (const Linear* linear : linears) {
    const float* bias = linear->bias_ < 0 ? nullptr : weights.plain(linear->bias_);
    add_columns(weights.panels(linear->weight_), bias, column, columns);
    column += linear->width();
  }
  run(context, x, columns, Activation::none, y);
}

}  // namespace bert::nn
