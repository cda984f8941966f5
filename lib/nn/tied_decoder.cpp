#include "nn/tied_decoder.h"

#include <algorithm>

#include "nn/bf16_products.h"
#include "nn/blocks.h"
#include "nn/products.h"

namespace bert::nn {
namespace {

constexpr int64_t kLossFloats = 16 << 20;  // maximum number of logits in memory
constexpr int64_t kLeastRows = 96;         // minimum, whatever their number of logits
constexpr int64_t kWords = 384;            // of the vocabulary, for one task of forward

// to = from + bias
void add_bias(const Kernels& kernels, int64_t rows, int64_t columns, const float* from, int64_t stride,
              const float* bias, float* to, int64_t to_stride) {
  kernels.finish_tile({.rows = rows,
                       .columns = round_up(columns, kBlockColumns),
                       .stride = stride,
                       .layer = {.numbers = from, .bias = bias}},
                      to, to_stride);
}

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
    add_bias(context.kernels(), block.rows, count, to, logits.stride(), weights.plain(bias_) + first, to,
             logits.stride());
  });
}

void TiedDecoder::forward_bf16(Context& context, const Weights& weights, std::span<const float> words,
                               const Block& block, Tensor& logits) const {
  logits.reshape(block.rows, vocab_size_);
  const auto finish = [&](const Tile& tile) {
    add_bias(context.kernels(), tile.rows, tile.columns, tile.numbers, tile.stride,
             weights.plain(bias_) + tile.column, logits.row(tile.row) + tile.column, logits.stride());
  };
  multiply_unpacked(context, block.x, block.first, block.rows,
                    {.dtype = Dtype::bf16, .depth = hidden_, .cols = vocab_size_},
                    {.numbers = words.data(), .stride = hidden_, .order = Order::columns}, finish);
}

Loss TiedDecoder::loss(Context& context, const Weights& weights, std::span<const float> words,
                       const Tensor& x, std::span<const int32_t> gold, const Gradient* gradient,
                       Tensor& logits, const Visit& visit) const {
  Loss total;
  const auto add = [&](const Block& block, Tensor& part) {
    const auto block_gold = gold.subspan(block.first, block.rows);
    if (visit)
      context.pool().run_grid(block.rows,
                              [&](int64_t row, int) { visit(block.first + row, part.values(row)); });
    total += softmax_loss(context, {.gold = block_gold}, gradient == nullptr ? 0 : gradient->weight, part);
  };
  if (gradient != nullptr) {
    backward(context, weights, words, x, *gradient, logits, add);
  } else {
    each_part(context, weights, words, x, logits, add);
  }
  return total;
}

void TiedDecoder::each_part(Context& context, const Weights& weights, std::span<const float> words,
                            const Tensor& x, Tensor& logits, const Use& use) const {
  const Stored stored = {.dtype = Dtype::f32, .data = std::as_bytes(words).data()};
  const int64_t most = std::max(kLeastRows, kLossFloats / vocab_size_), blocks = (x.rows() + most - 1) / most;
  const int64_t rows = blocks == 0 ? 0 : round_up((x.rows() + blocks - 1) / blocks, kBlockRows);
  for (int64_t first = 0; first < x.rows(); first += rows) {
    const Block block = {.x = x, .first = first, .rows = std::min(rows, x.rows() - first)};
    if (weights.dtype() == Dtype::bf16) {
      forward_bf16(context, weights, words, block, logits);
    } else {
      forward(context, weights, stored, block, logits);
    }
    use(block, logits);
  }
}

// forward:  logits = x·Eᵀ + b
// so        dE = dlogitsᵀ·x, or +=    db += Σ_r dlogits   dx = dlogits·E
void TiedDecoder::backward(Context& context, const Weights& weights, std::span<const float> words,
                           const Block& block, const Gradient& gradient, const Tensor& dlogits) const {
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
  const bool in_bf16 = weights.dtype() == Dtype::bf16;
  if (in_bf16 && gradient.words) {
    multiply_bf16(context, of_words);
  } else {
    multiply(context, of_words);
  }
  Tensor& dx = gradient.dx;
  if (in_bf16) {
    const auto finish = [&](const Tile& tile) {
      copy_rows(tile.rows, tile.columns, tile.numbers, tile.stride,
                dx.row(block.first + tile.row) + tile.column, dx.stride());
    };
    return multiply_unpacked(context, dlogits, 0, block.rows,
                             {.dtype = Dtype::bf16, .depth = vocab_size_, .cols = hidden_},
                             {.numbers = words.data(), .stride = hidden_}, finish);
  }
  const Product product = {.rows = block.rows,
                           .cols = hidden_,
                           .depth = vocab_size_,
                           .a = dy,
                           .b = {.numbers = words.data(), .stride = hidden_},
                           .c = dx.row(block.first),
                           .c_stride = dx.stride(),
                           .room = true};
  multiply(context, product);
}

void TiedDecoder::backward(Context& context, const Weights& weights, std::span<const float> words,
                           const Tensor& x, const Gradient& gradient, Tensor& logits, const Use& use) const {
  gradient.dx.reshape(x.rows(), hidden_);
  each_part(context, weights, words, x, logits, [&](const Block& block, Tensor& part) {
    use(block, part);
    Gradient of_block = gradient;
    if (block.first > 0 && of_block.words) of_block.words->into = Into::add;
    backward(context, weights, words, block, of_block, part);
  });
}

// One task for the rows of each group, then one for some words, to which groups are added in order.
void TiedDecoder::backward(Context& context, std::span<const float> words, const Tensor& x,
                           const LogitEntries& dlogits, const Gradient& gradient) const {
  const int64_t hidden = hidden_, groups = std::ssize(dlogits.offsets) - 1;
  const auto add = [hidden](float value, const float* from, float* to) {
    for (int64_t i = 0; i < hidden; ++i) to[i] += value * from[i];
  };
  auto& dx = gradient.dx;
  dx.reshape(x.rows(), hidden);
  context.pool().run_grid(x.rows(), [&](int64_t row, int) { std::fill_n(dx.row(row), hidden, 0.0f); });
  context.pool().run_grid(groups, [&](int64_t group, int) {
    for (int64_t i = dlogits.offsets[group]; i < dlogits.offsets[group + 1]; ++i)
      add(dlogits.values[i], words.data() + dlogits.words[i] * hidden, dx.row(dlogits.rows[i]));
  });
  const auto dbias = gradient.gradients.tensor(bias_);
  context.pool().run_grid((vocab_size_ + kWords - 1) / kWords, [&](int64_t task, int) {
    const int64_t first = task * kWords, last = std::min(vocab_size_, first + kWords);
    if (gradient.words && gradient.words->into == Into::replace)
      std::ranges::fill(gradient.words->numbers.subspan(first * hidden, (last - first) * hidden), 0.0f);
    for (int64_t group = 0; group < groups; ++group) {
      const auto begin = dlogits.words.begin() + dlogits.offsets[group],
                 end = dlogits.words.begin() + dlogits.offsets[group + 1];
      for (auto word = std::lower_bound(begin, end, first); word != end && *word < last; ++word) {
        const auto i = word - dlogits.words.begin();
        dbias[*word] += dlogits.values[i];
        if (gradient.words)
          add(dlogits.values[i], x.row(dlogits.rows[i]), gradient.words->numbers.data() + *word * hidden);
      }
    }
  });
}

}  // namespace bert::nn
