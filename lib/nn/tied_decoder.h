// logits = x·Eᵀ + b over the vocabulary, E the word embeddings        x [R,H], E [V,H], b [V], logits [R,V]
//
// E is used in place. If it is not f32, each thread converts a few words at a time. This costs little for few
// rows and nothing for many, and saves a second copy of the largest matrix of the model. In training,
// products have the format of the weights; elsewhere, and for a few LogitEntries, they are f32.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "nn/context.h"
#include "nn/losses.h"
#include "nn/params.h"
#include "nn/weights.h"

namespace bert::nn {

// Some numbers of logits [R,V]; the others are 0. Those from offsets[g] to offsets[g+1] are of group g, in
// the order of their words; groups have different rows.
struct LogitEntries {
  std::vector<int64_t> offsets = {0};
  std::vector<int32_t> words;
  std::vector<int64_t> rows;
  std::vector<float> values;
};

class TiedDecoder {
 public:
  // Adds the bias to the layout.
  TiedDecoder(std::string bias_name, int64_t vocab_size, int64_t hidden, Layout& layout);

  // Rows of x [R,H] to compute.
  struct Block {
    const Tensor& x;
    int64_t first = 0, rows = x.rows();
  };
  void forward(Context& context, const Weights& weights, const Stored& words, const Block& block,
               Tensor& logits) const;

  // Destination of the gradient of weight·loss: dx [R,H] is overwritten, that of b is added to.
  struct Gradient {
    float weight;
    std::optional<Params::Target> words;  // gradient of E, unless it is frozen
    Params& gradients;
    Tensor& dx;
  };

  // Called with each row of x and its logits, by several threads at a time.
  using Visit = std::function<void(int64_t row, std::span<const float> logits)>;

  // Loss of x [R,H] for gold [R], ids in the vocabulary, and its gradient unless that is nullptr. E is f32.
  // `logits` holds the logits of about equal parts of the rows at a time, at most 64 MiB or 96 rows.
  Loss loss(Context& context, const Weights& weights, std::span<const float> words, const Tensor& x,
            std::span<const int32_t> gold, const Gradient* gradient, Tensor& logits,
            const Visit& visit = {}) const;

  // The logits of x [R,H], as many rows at a time as loss() takes; `use` sees them, from row `first` on, and
  // may replace them.
  using Use = std::function<void(const Block& block, Tensor& logits)>;
  void each_part(Context& context, const Weights& weights, std::span<const float> words, const Tensor& x,
                 Tensor& logits, const Use& use) const;

  // The gradient of x, E and b for that of the logits. The weight is not used.
  void backward(Context& context, std::span<const float> words, const Tensor& x, const LogitEntries& dlogits,
                const Gradient& gradient) const;
  // The same where most numbers are not 0: `use` replaces the logits of a part by their gradient.
  void backward(Context& context, const Weights& weights, std::span<const float> words, const Tensor& x,
                const Gradient& gradient, Tensor& logits, const Use& use) const;

 private:
  void forward_bf16(Context& context, const Weights& weights, std::span<const float> words,
                    const Block& block, Tensor& logits) const;
  void backward(Context& context, const Weights& weights, std::span<const float> words, const Block& block,
                const Gradient& gradient, const Tensor& dlogits) const;

  int bias_;
  int64_t vocab_size_, hidden_;
};

}  // namespace bert::nn
