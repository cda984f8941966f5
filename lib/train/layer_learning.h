// Training of an encoder whose layers are to be those of a teacher, which runs in the same step, without
// dropout: a loss of nn/relations.h, the mean over all tokens of a step.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/network.h"
#include "nn/relations.h"
#include "train/learner.h"

namespace bert::train {

class LayerLearning final : public Learner {
 public:
  struct Options {
    nn::LayerLoss loss = nn::LayerLoss::minilm;
    int64_t heads = 1;  // of relations
    // Layers of the teacher: one, or, if all layers are compared, one for each layer of the student.
    std::vector<int64_t> teacher_layers;
    Keep keep = Keep::activations;  // not Keep::inputs if all layers are compared
  };

  // If hidden states are compared and have other widths, the network has a projection to the teacher's.
  LayerLearning(model::TrainingNetwork& network, std::unique_ptr<model::Network> teacher, Options options);

  task::Task task() const override { return task::Task::distill; }
  metric::Values learn(const examples::Step& step, const StepPlace& place) override;
  void begin_evaluation() override;
  void evaluate(const examples::Examples& examples) override;
  metric::Values end_evaluation() override;

 private:
  // Runs both networks and appends the loss of each sequence. `sequences`: their numbers. With a weight,
  // backward descends weight·the sum of the losses.
  void compare(Part examples, const nn::DropoutSeed* dropout_seed, std::span<const uint64_t> sequences,
               std::optional<float> weight, std::string& own);
  void compare_states(int64_t layer, const nn::Tensor& target, std::optional<float> weight,
                      std::span<double> losses);
  size_t index_of(int64_t teacher_layer) const;  // in traced_

  const std::unique_ptr<model::Network> teacher_;
  const Options options_;
  const nn::LayerLossEntry& loss_;
  std::vector<int64_t> traced_, traced_states_;  // layers of the teacher, ascending
  model::Network::Trace trace_;
  nn::Tensor projected_, dprojected_, dx_;  // of a hidden state
  std::string evaluated_;                   // what this rank has appended
  uint64_t sequences_ = 0;                  // in the dev set so far, of all ranks
  double tokens_ = 0;                       // likewise
};

}  // namespace bert::train
