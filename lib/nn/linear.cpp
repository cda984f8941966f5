#include "nn/linear.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "nn/bf16_products.h"
#include "nn/blocks.h"

namespace bert::nn {
namespace {

const float kZeros[384] = {};  // at least the columns of any tile

// Rows to prefetch ahead, since they are far apart, and the numbers in a cache line.
constexpr int64_t kAhead = 8, kLine = 16;

RawTile raw(const Tile& tile, const float* bias, Activation activation) {
  return {.rows = tile.rows,
          .columns = round_up(tile.columns, kBlockColumns),
          .stride = tile.stride,
          .layer = {tile.numbers, bias, tile.integers},
          .activation = activation,
          .quantized = tile.quantized};
}

void finish(const Kernels& kernels, const Tile& tile, const RawTile& raw, Tensor& y) {
  kernels.finish_tile(raw, y.row(tile.row) + tile.column, y.stride());
}

// A tile is in one block.
void finish(const Kernels& kernels, const Tile& tile, const RawTile& raw, const ColumnBlocks& y) {
  const int64_t block = tile.column / y.block * y.block, stride = y.width(block),
                column = tile.column - block;
  std::byte* const to = y.at(tile.row, block);
  if (y.dtype == Dtype::bf16)
    return kernels.finish_tile_bf16(raw, reinterpret_cast<uint16_t*>(to) + column, stride);
  kernels.finish_tile(raw, reinterpret_cast<float*>(to) + column, stride);
}

void finish(const Kernels& kernels, const Tile& tile, RawTile raw, const RangedRows& y) {
  raw.ranges = y.of(tile.row, tile.column);
  raw.ranges_stride = y.rows.stride() / 2;
  finish(kernels, tile, raw, y.rows);
}

// y = tile + bias + residual (may be nullptr)
void finish(const Kernels& kernels, const Tile& tile, const float* bias, Tensor& y,
            const Tensor* residual = nullptr) {
  RawTile whole = raw(tile, bias, Activation::none);
  if (residual != nullptr) {
    whole.residual = residual->row(tile.row) + tile.column;
    whole.residual_stride = residual->stride();
  }
  finish(kernels, tile, whole, y);
}

// u becomes du = dy∘act'(u), and x = act(u). The tile is dy and may share memory with x.
void finish_backward(const Kernels& kernels, const Tile& tile, Activation activation, Tensor& u, Tensor& x) {
  for (int64_t i = 0; i < tile.rows; ++i) {
    const int64_t later = tile.row + std::min(i + kAhead, tile.rows - 1);
    for (int64_t line = tile.column; line < tile.column + tile.columns; line += kLine) {
      __builtin_prefetch(u.row(later) + line, 1);
      __builtin_prefetch(x.row(later) + line, 1);
    }
    float* const of_u = u.row(tile.row + i) + tile.column;
    kernels.activation_backward(tile.columns, activation, of_u, tile.numbers + i * tile.stride,
                                x.row(tile.row + i) + tile.column, of_u);
  }
}

}  // namespace

Linear::Linear(std::string_view prefix, int64_t outputs, int64_t inputs, Layout& layout, Bias bias)
    : weight_(layout.add_matrix(std::string(prefix) + ".weight", outputs, inputs)),
      bias_(bias == Bias::no ? -1 : layout.add_plain(std::string(prefix) + ".bias", {outputs})),
      outputs_(outputs),
      inputs_(inputs) {}

Linear Linear::of_kernel(std::string_view prefix, int64_t outputs, int64_t inputs, int64_t size,
                         Layout& layout) {
  const int weight = layout.add_kernel(std::string(prefix) + ".weight", outputs, inputs, size);
  return {weight, layout.add_plain(std::string(prefix) + ".bias", {outputs}), outputs, inputs};
}

const float* Linear::bias_of(const Weights& weights, int64_t column) const {
  return bias_ < 0 ? kZeros : weights.plain(bias_) + column;
}

template <class Output>
void Linear::forward_into(Context& context, const Weights& weights, const Tensor& x, const Inner& inner,
                          Output& y) const {
  if (inner.u != nullptr) inner.u->reshape(x.rows(), outputs_);
  if (inner.factor != nullptr) inner.factor->reshape(x.rows(), outputs_);
  const Kernels& kernels = context.kernels();
  const Panels panels[] = {weights.forward(weight_)};
  std::optional<Panels> gate;
  if (inner.gate != nullptr) gate = weights.forward(inner.gate->weight_);
  const auto finish_tile = [&](const Tile& tile) {
    RawTile whole = raw(tile, bias_of(weights, tile.column), inner.activation);
    if (gate) whole.gate = {tile.gate, inner.gate->bias_of(weights, tile.column), tile.gate_integers};
    if (inner.u != nullptr) finish(kernels, tile, whole.layer.bias, *inner.u);
    if (inner.factor != nullptr) {
      Tile of_gate = tile;
      of_gate.numbers = tile.gate;
      of_gate.integers = tile.gate_integers;
      finish(kernels, of_gate, whole.gate.bias, *inner.factor);
    }
    finish(kernels, tile, whole, y);
  };
  multiply(context, x, 0, panels, finish_tile, gate ? &*gate : nullptr);
}

void Linear::forward(Context& context, const Weights& weights, const Tensor& x, Activation activation,
                     Tensor& y, Tensor* u) const {
  forward(context, weights, x, {.activation = activation, .u = u}, y);
}

void Linear::forward(Context& context, const Weights& weights, const Tensor& x, const Tensor* residual,
                     Tensor& y) const {
  const Panels panels[] = {weights.forward(weight_)};
  y.reshape(x.rows(), outputs_);
  multiply(context, x, 0, panels, [&](const Tile& tile) {
    finish(context.kernels(), tile, bias_of(weights, tile.column), y, residual);
  });
}

void Linear::forward(Context& context, const Weights& weights, const Tensor& x, const Inner& inner,
                     Tensor& y) const {
  y.reshape(x.rows(), outputs_);
  forward_into(context, weights, x, inner, y);
}

void Linear::forward(Context& context, const Weights& weights, const Tensor& x, const Inner& inner,
                     const Linear& next, const Tensor* residual, Tensor& y, Tensor& z) const {
  const Panels panels[] = {weights.forward(next.weight_)}, of_y = weights.forward(weight_);
  const auto finish_next = [&](const Tile& tile) {
    finish(context.kernels(), tile, next.bias_of(weights, tile.column), z, residual);
  };
  if (panels[0].dtype == Dtype::i8 && of_y.dtype == Dtype::i8) {
    RangedRows ranged = ranged_rows(y, x.rows(), of_y);
    forward_into(context, weights, x, inner, ranged);
    z.reshape(x.rows(), next.outputs_);
    return multiply(context, ranged, panels, finish_next);
  }
  y.reshape(x.rows(), outputs_);
  const auto blocks = blocks_in(y, of_y, panels[0]);
  if (!blocks) {
    forward_into(context, weights, x, inner, y);
    return next.forward(context, weights, y, residual, z);
  }
  forward_into(context, weights, x, inner, *blocks);
  z.reshape(x.rows(), next.outputs_);
  multiply(context, *blocks, x.rows(), panels, finish_next);
}

void Linear::forward_beside(Context& context, const Weights& weights, const Tensor& x,
                            std::span<const Linear* const> linears, int64_t column, Form form, Tensor& y) {
  std::vector<Panels> panels;
  std::vector<int64_t> columns;
  for (const Linear* linear : linears) {
    panels.push_back(weights.forward(linear->weight_));
    columns.push_back(column);
    column += linear->width();
  }
  multiply(context, x, 0, panels, [&](Tile tile) {
    const float* const bias = linears[tile.place]->bias_of(weights, tile.column);
    tile.column += columns[tile.place];
    if (form == Form::floats) return finish(context.kernels(), tile, bias, y);
    context.kernels().finish_tile_bf16(raw(tile, bias, Activation::none),
                                       reinterpret_cast<uint16_t*>(y.row(tile.row)) + tile.column,
                                       2 * y.stride());
  });
}

// forward:  y = x·Wᵀ + b          x [M,K], W [N,K], y [M,N]
// so        dW += dyᵀ·x   db += Σ_m dy   dx = dy·W
void Linear::backward_weights(Context& context, const Weights& weights, const Tensor& x, const Tensor& dy,
                              int64_t column, Params& gradients, Bias bias) const {
  if (x.rows() == 0) return;
  const auto target = gradients.target(weight_);
  const Product product = {
      .rows = outputs_,
      .cols = inputs_,
      .depth = x.rows(),
      .a = {.numbers = dy.row(0) + column, .stride = dy.stride(), .order = Order::columns},
      .b = {.numbers = x.row(0), .stride = x.stride()},
      .c = target.numbers.data(),
      .c_stride = inputs_,
      .into = target.into,
      .row_sums = bias == Bias::yes && bias_ >= 0 ? gradients.tensor(bias_).data() : nullptr};
  if (weights.dtype(weight_) == Dtype::bf16) {
    multiply_bf16(context, product);
  } else {
    multiply(context, product);
  }
}

void Linear::backward_input(Context& context, const Weights& weights, const Tensor& dy, int64_t column,
                            Into into, Tensor& dx) const {
  if (into == Into::replace) dx.reshape(dy.rows(), inputs_);
  if (weights.dtype(weight_) == Dtype::bf16) {
    const Panels panels[] = {weights.backward(weight_)};
    return multiply(context, dy, column, panels, [&](const Tile& tile) {
      if (into == Into::replace) return finish(context.kernels(), tile, kZeros, dx);
      for (int64_t i = 0; i < tile.rows; ++i) {
        context.kernels().add(tile.columns, tile.numbers + i * tile.stride,
                              dx.row(tile.row + i) + tile.column);
      }
    });
  }
  Product product = input_gradient(weights, dy, column, dx);
  product.into = into;
  multiply(context, product);
}

void Linear::backward_input(Context& context, const Weights& weights, const Tensor& dy, Activation activation,
                            Tensor& u, Tensor& x) const {
  x.reshape(dy.rows(), inputs_);
  const auto finish = [&](const Tile& tile) { finish_backward(context.kernels(), tile, activation, u, x); };
  if (weights.dtype(weight_) == Dtype::f32)
    return multiply(context, input_gradient(weights, dy, 0, x), finish);
  const Panels panels[] = {weights.backward(weight_)};
  multiply(context, dy, 0, panels, finish);
}

// dx = dy·W
Product Linear::input_gradient(const Weights& weights, const Tensor& dy, int64_t column, Tensor& dx) const {
  return {.rows = dy.rows(),
          .cols = inputs_,
          .depth = outputs_,
          .a = {.numbers = dy.row(0) + column, .stride = dy.stride()},
          .b = {.numbers = weights.plain(weight_), .stride = inputs_},
          .c = dx.row(0),
          .c_stride = dx.stride(),
          .room = true};
}

}  // namespace bert::nn
