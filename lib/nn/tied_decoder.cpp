#include "nn/tied_decoder.h"

#include <algorithm>

#include "nn/kernels.h"

namespace bert::nn {

TiedDecoder::TiedDecoder(std::string bias_name, int64_t vocab_size, int64_t hidden, Layout& layout)
    : bias_(layout.add_plain(std::move(bias_name), {vocab_size})), vocab_size_(vocab_size), hidden_(hidden) {}

void TiedDecoder::forward(Context& context, const Weights& weights, const Stored& words, const Tensor& x,
                          Tensor& logits) const {
  constexpr int64_t kTile = Tensor::kRowTile, kWidth = Panels::kWidth;
  const Panels shape = {.outputs = vocab_size_, .inputs = hidden_};
  const float* bias = weights.plain(bias_);
  logits.reshape(x.rows(), vocab_size_);
  if (x.rows() == 0) return;
  context.pool().run_grid(shape.count(), [&](int64_t p, int thread) {
    const int64_t first = p * kWidth, count = std::min(kWidth, vocab_size_ - first);
    float* const packed = context.scratch(thread, shape.panel_size() + kWidth * hidden_);
    float* rows = packed + shape.panel_size();
    to_f32(words.dtype, words.data + static_cast<size_t>(first * hidden_) * size_of(words.dtype),
           {rows, static_cast<size_t>(count * hidden_)});
    kernels().pack_panel(rows, hidden_, count, hidden_, packed);
    const float* const panel = packed;
    for (int64_t row = 0; row < x.rows(); row += kTile) {
      alignas(64) float tile[kTile * kWidth];
      const int64_t tile_rows = std::min(kTile, x.rows() - row);
      kernels().panel_products(tile_rows, hidden_, x.row(row), x.stride(), 1, &panel, tile);
      kernels().finish_tile(tile_rows, kWidth, tile, kWidth, bias + first, Activation::none,
                            logits.row(row) + first, logits.stride());
    }
  });
}

}  // namespace bert::nn
