#include "nn/tied_decoder.h"

#include <algorithm>

#include "nn/blocks.h"
#include "nn/products.h"

namespace bert::nn {
namespace {

constexpr int64_t kLossFloats = 16 << 20;  // maximum number of logits in memory
constexpr int64_t kLeastRows = 96;         // minimum, whatever their number of logits
constexpr int64_t kWords = 384;            // of the vocabulary, for one task of forward

}  // namespace

TiedDecoder::TiedDecoder(std::string bias_name, int64_t vocab_size, int64_t hidden, Layout& layout)
    : bias_(layout.add_plain(std::move(bias_name), {vocab_size})), vocab_size_(vocab_size), hidden_(hidden) {}

void TiedDecoder::forward(Context& context, const Weights& weights, const Stored& words, const Block& block,
                          Tensor& logits) const {
  logits.reshape(block.rows, vocab_size_);
  if (block.rows == 0) return;
  context.pool().run_grid((vocab_size_ + kWords - 1) / kWords, [&](int64_t i, int thread) {
    const int64_t first = i * kWords, count = std::min(kWords, vocab_size_ - first);
    const std::byte* const stored = words.data + first * hidden_ * size_of(words.dtype);
    const auto* rows = reinterpret_cast<const float*>(stored);
    // Memory after the last words may not be readable.
    const bool last = count % kBlockColumns != 0;
    if (last || words.dtype != Dtype::f32 || reinterpret_cast<uintptr_t>(stored) % alignof(float) != 0) {
      float* const wide = context.scratch(thread, kWords * hidden_);
      to_f32(words.dtype, stored, {wide, static_cast<size_t>(count * hidden_)});
      rows = wide;
    }
    float* const to = logits.row(0) + first;
    multiply(context.kernels(), {.rows = block.rows,
                                 .cols = count,
                                 .depth = hidden_,
                                 .a = {.numbers = block.x.row(block.first), .stride = block.x.stride()},
                                 .b = {.numbers = rows, .stride = hidden_, .order = Order::columns},
                                 .c = to,
                                 .c_stride = logits.stride(),
                                 .room = true});
    context.kernels().finish_tile(block.rows, round_up(count, kBlockColumns), to, logits.stride(),
                                  weights.plain(bias_) + first, Activation::none, to, logits.stride());
  });
}

Loss TiedDecoder::loss(Context& context, const Weights& weights, std::span<const float> words,
                       const Tensor& x, std::span<const int32_t> gold, const Gradient* gradient,
                       Tensor& logits, const Visit& visit) const {
  const Stored stored = {.dtype = Dtype::f32, .data = std::as_bytes(words).data()};
  const int64_t most = std::max(kLeastRows, kLossFloats / vocab_size_), blocks = (x.rows() + most - 1) / most;
  const int64_t rows = blocks == 0 ? 0 : round_up((x.rows() + blocks - 1) / blocks, kBlockRows);
  if (gradient != nullptr) gradient->dx.reshape(x.rows(), hidden_);
  Loss total;
  for (int64_t first = 0; first < x.rows(); first += rows) {
    const Block block = {.x = x, .first = first, .rows = std::min(rows, x.rows() - first)};
    const auto block_gold = gold.subspan(first, block.rows);
    forward(context, weights, stored, block, logits);
    if (visit)
      context.pool().run_grid(block.rows, [&](int64_t row, int) { visit(first + row, logits.values(row)); });
    total += softmax_loss(context, {.gold = block_gold}, gradient == nullptr ? 0 : gradient->weight, logits);
    if (gradient == nullptr) continue;
    Gradient of_block = *gradient;
    if (first > 0 && of_block.words) of_block.words->into = Into::add;
    backward(context, words, block, of_block, logits);
  }
  return total;
}

// forward:  logits = x·Eᵀ + b
// so        dE = dlogitsᵀ·x, or +=    db += Σ_r dlogits   dx = dlogits·E
void TiedDecoder::backward(Context& context, std::span<const float> words, const Block& block,
                           const Gradient& gradient, const Tensor& dlogits) const {
  const Factor x = {.numbers = block.x.row(block.first), .stride = block.x.stride()};
  const Factor dy = {.numbers = dlogits.row(0), .stride = dlogits.stride()};
  Product of_words = {.rows = vocab_size_,
                      .depth = block.rows,
                      .a = {.numbers = dy.numbers, .stride = dy.stride, .order = Order::columns},
                      .b = x,
                      .row_sums = gradient.gradients.tensor(bias_).data()};
  if (gradient.words) {
    of_words.cols = of_words.c_stride = hidden_;
    of_words.c = gradient.words->numbers.data();
    of_words.into = gradient.words->into;
  }
  multiply(context, of_words);
  const Product product = {.rows = block.rows,
                           .cols = hidden_,
                           .depth = vocab_size_,
                           .a = dy,
                           .b = {.numbers = words.data(), .stride = hidden_},
                           .c = gradient.dx.row(block.first),
                           .c_stride = gradient.dx.stride(),
                           .room = true};
  multiply(context, product);
}

}  // namespace bert::nn
