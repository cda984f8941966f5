// Losses that compare layers of a student with layers of a teacher, for distillation without labels. Each is
// the sum over the tokens of a sequence; there is no padding.
//
//   relations      the mean over heads of KL(t || s) of a token's row, or of the mean squared difference of
//                  its numbers: t and s are x·yᵀ/√d of teacher and student, where x and y are queries, keys
//                  or values, divided into heads of size d; for KL their softmax
//   hidden states  the mean squared difference of a token's numbers
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "nn/context.h"
#include "nn/relative_bias.h"
#include "nn/tensor.h"

namespace bert::nn {

enum class LayerLoss { minilm, minilm_v1, tinybert };

enum class Projected { queries, keys, values };  // in this order in a tensor of Attention::project

struct Relation {
  Projected x, y;
  bool divergence;  // else squared differences

  bool is_attention() const { return x != y; }
};

struct LayerLossEntry {
  std::string_view name;
  LayerLoss loss;
  std::vector<Relation> relations;
  // Compares the last layer of the student with one of the teacher; otherwise all layers, and their hidden
  // states.
  bool last_layer;
  // Compares queries with keys, within the heads of the models.
  bool compares_attention() const {
    for (const auto& relation : relations)
      if (relation.is_attention()) return true;
    return false;
  }
  // Whether the bias of the keys, which adds the same to all scores of a query, changes the loss.
  bool learns_key_bias() const { return loss != LayerLoss::minilm_v1; }
};

// In the order of LayerLoss. Wang et al. 2021, "MiniLMv2", section 3; Wang et al. 2020, "MiniLM", section 3;
// Jiao et al. 2020, "TinyBERT", section 3.1.
std::span<const LayerLossEntry> layer_losses();
inline const LayerLossEntry& entry(LayerLoss loss) { return layer_losses()[static_cast<size_t>(loss)]; }

// Queries, keys and values of a layer [M,3·W] (Attention::project), and the bias of its attention, if any.
struct ProjectedLayer {
  const Tensor& numbers;
  int64_t hidden;
  const ByDistance<float>* bias = nullptr;
};

// Adds the losses of all sequences to `losses` [B], and weight·their gradients to `gradient`, which has the
// shape of the student's numbers, unless it is nullptr. `heads` divides both widths.
void add_relation(Context& context, std::span<const int64_t> offsets, const Relation& relation, int64_t heads,
                  const ProjectedLayer& student, const ProjectedLayer& teacher, float weight,
                  Tensor* gradient, std::span<double> losses);

// The same for hidden states x and target [M,H]. Replaces dx by the gradient, unless it is nullptr.
void add_squares(Context& context, std::span<const int64_t> offsets, const Tensor& x, const Tensor& target,
                 float weight, Tensor* dx, std::span<double> losses);

}  // namespace bert::nn
