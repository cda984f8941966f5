#include "nn/tied_decoder.h"

#include <algorithm>

#include "nn/kernels.h"

namespace bert::nn {
namespace {

constexpr int64_t kTile = Tensor::kRowTile, kWidth = Panels::kWidth;
constexpr int64_t kLossFloats = 16 << 20;  // of logits held at a time
constexpr int64_t kChunk = 1024;  // of the vocabulary, for one task of backward; part of the arithmetic

// sums += Σ_r x[r, first + i], in chains of at most kLongestPart additions. Scratch: `count` numbers.
void add_column_sums(const Tensor& x, int64_t first, int64_t count, float* scratch, float* sums) {
  for (int64_t from = 0; from < x.rows(); from += kLongestPart) {
    std::fill_n(scratch, count, 0.0f);
    for (int64_t row = from; row < std::min(x.rows(), from + kLongestPart); ++row) {
      kernels().add(count, x.row(row) + first, scratch);
    }
    kernels().add(count, scratch, sums);
  }
}

}  // namespace

TiedDecoder::TiedDecoder(std::string bias_name, int64_t vocab_size, int64_t hidden, Layout& layout)
    : bias_(layout.add_plain(std::move(bias_name), {vocab_size})), vocab_size_(vocab_size), hidden_(hidden) {}

void TiedDecoder::forward(Context& context, const Weights& weights, const Stored& words, const Tensor& x,
                          Tensor& logits) const {
  forward(context, weights, words, {.x = x, .first = 0, .rows = x.rows()}, logits);
}

void TiedDecoder::forward(Context& context, const Weights& weights, const Stored& words, const Block& block,
                          Tensor& logits) const {
  const Panels shape = {.outputs = vocab_size_, .inputs = hidden_};
  const float* bias = weights.plain(bias_);
  logits.reshape(block.rows, vocab_size_);
  if (block.rows == 0) return;
  context.pool().run_grid(shape.count(), [&](int64_t p, int thread) {
    const int64_t first = p * kWidth, count = std::min(kWidth, vocab_size_ - first);
    float* const packed = context.scratch(thread, shape.panel_size() + kWidth * hidden_);
    float* rows = packed + shape.panel_size();
    to_f32(words.dtype, words.data + static_cast<size_t>(first * hidden_) * size_of(words.dtype),
           {rows, static_cast<size_t>(count * hidden_)});
    kernels().pack_panel(rows, hidden_, count, hidden_, packed);
    const float* const panel = packed;
    for (int64_t row = 0; row < block.rows; row += kTile) {
      alignas(64) float tile[kTile * kWidth];
      const int64_t tile_rows = std::min(kTile, block.rows - row);
      kernels().panel_products(tile_rows, hidden_, block.x.row(block.first + row), block.x.stride(), 1,
                               &panel, tile);
      kernels().finish_tile(tile_rows, kWidth, tile, kWidth, bias + first, Activation::none,
                            logits.row(row) + first, logits.stride());
    }
  });
}

Loss TiedDecoder::loss(Context& context, const Weights& weights, std::span<const float> words,
                       const Tensor& x, std::span<const int32_t> gold, const Gradient* gradient,
                       Workspace& workspace) const {
  const Stored stored = {.dtype = Dtype::f32, .data = std::as_bytes(words).data()};
  const int64_t most = std::max(kTile, kLossFloats / vocab_size_), blocks = (x.rows() + most - 1) / most;
  const int64_t rows = blocks == 0 ? 0 : (x.rows() + blocks - 1) / blocks;
  if (gradient != nullptr) gradient->dx.reshape(x.rows(), hidden_);
  Loss total;
  Tensor& logits = workspace.logits;
  for (int64_t first = 0; first < x.rows(); first += rows) {
    const Block block = {.x = x, .first = first, .rows = std::min(rows, x.rows() - first)};
    const auto block_gold = gold.subspan(static_cast<size_t>(first), static_cast<size_t>(block.rows));
    forward(context, weights, stored, block, logits);
    total += softmax_loss(context, block_gold, gradient == nullptr ? 0 : gradient->weight, logits);
    if (gradient == nullptr) continue;
    Gradient of_block = *gradient;
    if (first > 0 && of_block.words) of_block.words->into = Into::add;
    backward(context, words, block, of_block, workspace);
  }
  return total;
}

// forward:  logits = x·Eᵀ + b
// so        dE = dlogitsᵀ·x, or +=    db += Σ_r dlogits   dx = dlogits·E
// A task is a chunk of the vocabulary; what each adds to dx is summed up afterwards, in order.
void TiedDecoder::backward(Context& context, std::span<const float> words, const Block& block,
                           const Gradient& gradient, Workspace& workspace) const {
  const int64_t chunks = (vocab_size_ + kChunk - 1) / kChunk, rows = block.rows;
  float* const dbias = gradient.gradients.tensor(bias_).data();
  const Tensor& dlogits = workspace.logits;
  Tensor& parts = workspace.parts;
  parts.reshape(chunks * rows, hidden_);
  context.pool().run_grid(chunks, [&](int64_t chunk, int thread) {
    const int64_t first = chunk * kChunk, count = std::min(kChunk, vocab_size_ - first);
    float* const scratch = context.scratch(thread, gradient_scratch(hidden_));
    if (gradient.words) {
      kernels().gradient_products({.depth = rows,
                                   .rows = count,
                                   .cols = hidden_,
                                   .dy = dlogits.row(0) + first,
                                   .dy_stride = dlogits.stride(),
                                   .x = block.x.row(block.first),
                                   .x_stride = block.x.stride(),
                                   .dw = gradient.words->numbers.data() + first * hidden_,
                                   .dw_stride = hidden_,
                                   .into = gradient.words->into,
                                   .db = dbias + first},
                                  scratch);
    } else {
      add_column_sums(dlogits, first, count, scratch, dbias + first);
    }
    kernels().strided_products(rows, count, dlogits.row(0) + first, dlogits.stride(), hidden_,
                               words.data() + first * hidden_, hidden_, parts.row(chunk * rows),
                               parts.stride(), scratch);
  });
  constexpr int64_t kRows = 8;  // a task's
  context.pool().run_grid((rows + kRows - 1) / kRows, [&](int64_t i, int) {
    for (int64_t row = i * kRows; row < std::min(rows, (i + 1) * kRows); ++row) {
      float* const dx = gradient.dx.row(block.first + row);
      std::ranges::copy(parts.values(row), dx);
      for (int64_t chunk = 1; chunk < chunks; ++chunk) {
        kernels().add(hidden_, parts.row(chunk * rows + row), dx);
      }
    }
  });
}

}  // namespace bert::nn
