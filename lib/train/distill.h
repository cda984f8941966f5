// Training of sentence vectors that are to be those of a teacher, which the examples have: a loss of
// nn/vector_losses.h, the mean over all texts of a step.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "nn/vector_losses.h"
#include "train/embed.h"

namespace bert::train {

class DistillLearning final : public EmbedLearning {
 public:
  // With a projection that is not kept, `loss` compares what it makes with the teacher's vectors.
  DistillLearning(model::TrainingNetwork& network, Options options, nn::VectorLossOptions loss)
      : EmbedLearning(network, std::move(options)), loss_(std::move(loss)) {}

  metric::Values learn(const examples::Step& step, const StepPlace& place) override;
  // The loss of a dev set is the mean over its texts. A dev set without vectors of a teacher is evaluated as
  // by EmbedLearning.
  void evaluate(const examples::Examples& examples) override;
  metric::Values end_evaluation() override;

 protected:
  void append_evaluated(Part examples, std::span<const uint64_t> sequences, std::string& out) const override;

 private:
  void append_losses(Part examples, std::span<const uint64_t> sequences, double weight, nn::Tensor* gradient,
                     std::string& out) const;

  const nn::VectorLossOptions loss_;
  nn::Tensor gradient_;
  bool taught_ = false;  // the dev set has vectors of a teacher
};

}  // namespace bert::train
