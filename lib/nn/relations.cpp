#include "nn/relations.h"

#include <cassert>
#include <cmath>

namespace bert::nn {
namespace {

int64_t column_of(const Tensor& numbers, Projected part) {
  return static_cast<int64_t>(part) * (numbers.cols() / 3);
}

// A head of the sequence whose first row this is.
RelationSide side_of(const ProjectedLayer& layer, const Relation& relation, int64_t row, int64_t heads,
                     int64_t head) {
  const int64_t size = layer.hidden / heads;
  const float* const first = layer.numbers.row(row) + head * size;
  return {.x = first + column_of(layer.numbers, relation.x),
          .y = first + column_of(layer.numbers, relation.y),
          .stride = layer.numbers.stride(),
          .size = size,
          .scale = 1.0f / std::sqrt(static_cast<float>(size)),
          .bias = relation.is_attention() && layer.bias ? layer.bias->center(head) : nullptr};
}

}  // namespace

std::span<const LayerLossEntry> layer_losses() {
  using enum Projected;
  static const LayerLossEntry entries[] = {
      {.name = "minilm",
       .loss = LayerLoss::minilm,
       .relations = {{queries, queries, true}, {keys, keys, true}, {values, values, true}},
       .last_layer = true},
      {.name = "minilm-v1",
       .loss = LayerLoss::minilm_v1,
       .relations = {{queries, keys, true}, {values, values, true}},
       .last_layer = true},
      {.name = "tinybert",
       .loss = LayerLoss::tinybert,
       .relations = {{queries, keys, false}},
       .last_layer = false}};
  return entries;
}

void add_relation(Context& context, std::span<const int64_t> offsets, const Relation& relation, int64_t heads,
                  const ProjectedLayer& student, const ProjectedLayer& teacher, float weight,
                  Tensor* gradient, std::span<double> losses) {
  assert(student.hidden % heads == 0 && teacher.hidden % heads == 0);
  const int64_t sequences = std::ssize(losses), size = student.hidden / heads;
  std::vector<double> of_heads(sequences * heads);
  context.pool().run_grid(sequences * heads, [&](int64_t i, int thread) {
    const int64_t sequence = i / heads, head = i % heads;
    const int64_t row = offsets[sequence], length = offsets[sequence + 1] - row;
    float* const first = gradient == nullptr ? nullptr : gradient->row(row) + head * size;
    const auto gradient_of = [&](Projected part) {
      return first == nullptr ? nullptr : first + column_of(*gradient, part);
    };
    const RelationHead task = {.student = side_of(student, relation, row, heads, head),
                               .teacher = side_of(teacher, relation, row, heads, head),
                               .length = length,
                               .divergence = relation.divergence,
                               .weight = weight / heads,
                               .dx = gradient_of(relation.x),
                               .dy = gradient_of(relation.y),
                               .gradient_stride = gradient == nullptr ? 0 : gradient->stride()};
    of_heads[i] = context.kernels().relate(
        task, context.scratch(thread, relation_scratch(length, size, task.teacher.size)));
  });
  for (int64_t i = 0; i < std::ssize(of_heads); ++i) losses[i / heads] += of_heads[i] / heads;
}

void add_squares(Context& context, std::span<const int64_t> offsets, const Tensor& x, const Tensor& target,
                 float weight, Tensor* dx, std::span<double> losses) {
  assert(x.rows() == target.rows() && x.cols() == target.cols());
  const double width = x.cols();
  if (dx != nullptr) dx->reshape(x.rows(), x.cols());
  context.pool().run_grid(std::ssize(losses), [&](int64_t sequence, int) {
    double sum = 0;
    for (int64_t row = offsets[sequence]; row < offsets[sequence + 1]; ++row) {
      for (int64_t i = 0; i < x.cols(); ++i) {
        const float difference = x.row(row)[i] - target.row(row)[i];
        sum += double{difference} * difference;
        if (dx != nullptr) dx->row(row)[i] = 2 * weight * difference / static_cast<float>(width);
      }
    }
    losses[sequence] += sum / width;
  });
}

}  // namespace bert::nn
