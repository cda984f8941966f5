#include "nn/linear.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "nn/kernels.h"
#include "nn/training_kernels.h"

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

// Rows that are asked for before they are needed, since they lie far apart, by lines of so many numbers.
constexpr int64_t kAhead = 8, kLine = 16;

// How many panels a task takes. Several read the rows of x from a nearer cache, but many tasks share out more
// evenly.
int64_t panels_a_task(int64_t tiles, int64_t panels, int64_t threads) {
  int64_t group = kMostPanels;
  while (group > 1 && tiles * panels < 16 * threads * group) group /= 2;
  return group;
}

// What one task computes of a gradient [N,K].
struct GradientTask {
  int64_t rows, cols;
};

// Large tasks copy less, small ones share out better: the size with the least work for the busiest thread.
GradientTask gradient_task(int64_t outputs, int64_t inputs, int64_t threads) {
  constexpr int64_t kCopy = 16;  // of one number, in fused multiply-adds
  GradientTask best = {};
  int64_t least = std::numeric_limits<int64_t>::max();
  for (int64_t rows = kGradientRows; rows <= 4 * kGradientRows; rows += kGradientRows) {
    for (int64_t cols = Panels::kWidth; cols <= 8 * Panels::kWidth; cols *= 2) {
      const int64_t tasks = ((outputs + rows - 1) / rows) * ((inputs + cols - 1) / cols);
      const int64_t most_rows = std::min(rows, outputs), most_cols = std::min(cols, inputs);
      const int64_t work = most_rows * most_cols + kCopy * (most_rows + most_cols);
      const int64_t busiest = (tasks + threads - 1) / threads * work;
      if (busiest >= least) continue;
      least = busiest;
      best = {.rows = rows, .cols = cols};
    }
  }
  return best;
}

// A tile of a product: rows from `row` on of the 64 columns that panel `panel` computes.
struct Tile {
  const float* numbers;  // [rows, 64]
  int64_t row, rows;
  size_t panel;
};

// The grid of row tiles × groups of panels; each tile is given to `finish`, on the thread that computed it.
// Neighbouring tasks share panels, so that they are read from memory once.
template <class Finish>
void run(Context& context, const Tensor& x, int64_t column, int64_t depth, const Columns& columns,
         Finish finish) {
  const int64_t tiles = (x.rows() + kTile - 1) / kTile, panels = static_cast<int64_t>(columns.panels.size());
  const int64_t group = panels_a_task(tiles, panels, context.pool().size());
  context.pool().run_grid(tiles * ((panels + group - 1) / group), [&](int64_t i, int) {
    const int64_t first = i % tiles * kTile, rows = std::min(kTile, x.rows() - first);
    const int64_t from = i / tiles * group, count = std::min(group, panels - from);
    alignas(64) float results[kMostPanels * kTile * Panels::kWidth];
    kernels().panel_products(rows, depth, x.row(first) + column, x.stride(), count,
                             &columns.panels[static_cast<size_t>(from)], results);
    for (int64_t p = 0; p < count; ++p) {
      finish(Tile{.numbers = results + p * rows * Panels::kWidth,
                  .row = first,
                  .rows = rows,
                  .panel = static_cast<size_t>(from + p)});
    }
  });
}

// y = act(tile + bias)
void finish_forward(const Columns& columns, const Tile& tile, Activation activation, Tensor& y) {
  kernels().finish_tile(tile.rows, Panels::kWidth, tile.numbers, Panels::kWidth, columns.biases[tile.panel],
                        activation, y.row(tile.row) + columns.places[tile.panel], y.stride());
}

void run(Context& context, const Tensor& x, const Columns& columns, Activation activation, Tensor& y) {
  run(context, x, 0, x.cols(), columns,
      [&](const Tile& tile) { finish_forward(columns, tile, activation, y); });
}

}  // namespace

Linear::Linear(std::string_view prefix, int64_t outputs, int64_t inputs, Layout& layout, Bias bias)
    : weight_(layout.add_matrix(std::string(prefix) + ".weight", outputs, inputs)),
      bias_(bias == Bias::yes ? layout.add_plain(std::string(prefix) + ".bias", {outputs}) : -1),
      outputs_(outputs),
      inputs_(inputs) {}

void Linear::forward(Context& context, const Weights& weights, const Tensor& x, Activation activation,
                     Tensor& y) const {
  y.reshape(x.rows(), outputs_);
  Columns columns;
  columns.add(weights.panels(weight_), bias_ < 0 ? nullptr : weights.plain(bias_), 0);
  run(context, x, columns, activation, y);
}

void Linear::forward(Context& context, const Weights& weights, const Tensor& x, Activation activation,
                     Tensor& u, Tensor& y) const {
  u.reshape(x.rows(), outputs_);
  y.reshape(x.rows(), outputs_);
  Columns columns;
  columns.add(weights.panels(weight_), bias_ < 0 ? nullptr : weights.plain(bias_), 0);
  run(context, x, 0, x.cols(), columns, [&](const Tile& tile) {
    finish_forward(columns, tile, Activation::none, u);
    const int64_t place = columns.places[tile.panel];
    kernels().finish_tile(tile.rows, Panels::kWidth, u.row(tile.row) + place, u.stride(), kZeros, activation,
                          y.row(tile.row) + place, y.stride());
  });
}

// forward:  y = x·Wᵀ + b          x [M,K], W [N,K], y [M,N]
// so        dW += dyᵀ·x   db += Σ_m dy   dx = dy·W
void Linear::backward_weights(Context& context, const Tensor& x, const Tensor& dy, int64_t column,
                              Params& gradients, Bias bias) const {
  if (x.rows() == 0) return;
  const auto target = gradients.target(weight_);
  float* const db = bias_ < 0 || bias == Bias::no ? nullptr : gradients.tensor(bias_).data();
  const GradientTask task = gradient_task(outputs_, inputs_, context.pool().size());
  const int64_t tiles = (outputs_ + task.rows - 1) / task.rows,
                groups = (inputs_ + task.cols - 1) / task.cols;
  context.pool().run_grid(tiles * groups, [&](int64_t i, int thread) {
    const int64_t row = i % tiles * task.rows, from = i / tiles * task.cols;
    const GradientProduct product = {.depth = x.rows(),
                                     .rows = std::min(task.rows, outputs_ - row),
                                     .cols = std::min(task.cols, inputs_ - from),
                                     .dy = dy.row(0) + column + row,
                                     .dy_stride = dy.stride(),
                                     .x = x.row(0) + from,
                                     .x_stride = x.stride(),
                                     .dw = target.numbers.data() + row * inputs_ + from,
                                     .dw_stride = inputs_,
                                     .into = target.into,
                                     .db = from == 0 && db != nullptr ? db + row : nullptr};
    kernels().gradient_products(product, context.scratch(thread, gradient_scratch(product.cols)));
  });
}

void Linear::backward_input(Context& context, const Weights& weights, const Tensor& dy, int64_t column,
                            Into into, Tensor& dx) const {
  if (into == Into::replace) dx.reshape(dy.rows(), inputs_);
  Columns columns;
  columns.add(transposed(context, weights), nullptr, 0);
  run(context, dy, column, outputs_, columns, [&](const Tile& tile) {
    if (into == Into::replace) return finish_forward(columns, tile, Activation::none, dx);
    for (int64_t row = 0; row < tile.rows; ++row) {
      kernels().add(Panels::kWidth, tile.numbers + row * Panels::kWidth,
                    dx.row(tile.row + row) + columns.places[tile.panel]);
    }
  });
}

void Linear::backward_input(Context& context, const Weights& weights, const Tensor& dy, Activation activation,
                            Tensor& u, Tensor& x) const {
  x.reshape(dy.rows(), inputs_);
  Columns columns;
  columns.add(transposed(context, weights), nullptr, 0);
  run(context, dy, 0, outputs_, columns, [&](const Tile& tile) {
    const int64_t place = columns.places[tile.panel];
    for (int64_t i = 0; i < tile.rows; ++i) {
      const int64_t row = tile.row + i, later = tile.row + std::min(i + kAhead, tile.rows - 1);
      for (int64_t column = 0; column < Panels::kWidth; column += kLine) {
        __builtin_prefetch(u.row(later) + place + column, 1);
        __builtin_prefetch(x.row(later) + place + column, 1);
      }
      training_kernels().activation_backward(Panels::kWidth, activation, u.row(row) + place,
                                             tile.numbers + i * Panels::kWidth, x.row(row) + place,
                                             u.row(row) + place);
    }
  });
}

Panels Linear::transposed(Context& context, const Weights& weights) const {
  Panels panels = {.outputs = inputs_, .inputs = outputs_};
  float* const packed = context.shared(panels.count() * panels.panel_size());
  const float* const matrix = weights.matrix(weight_);
  constexpr int64_t kRows = 16;  // a task's; whole ones, since that is how memory likes to be read
  context.pool().run_grid((outputs_ + kRows - 1) / kRows, [&](int64_t i, int) {
    const int64_t row = i * kRows, rows = std::min(kRows, outputs_ - row);
    for (int64_t first = 0; first < inputs_; first += Panels::kWidth) {
      kernels().pack_rows(matrix + row * inputs_ + first, inputs_, row, rows,
                          std::min(Panels::kWidth, inputs_ - first),
                          packed + first / Panels::kWidth * panels.panel_size());
    }
  });
  panels.data = packed;
  return panels;
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
