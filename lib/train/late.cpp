#include "train/late.h"

namespace bert::train {

// The rows of tokens that have a vector.
void LateLearning::forward(Part examples, const nn::DropoutSeed* dropout_seed, Keep keep) {
  batch_ = {};
  offsets_ = {0};
  std::vector<int64_t> rows;
  for (const auto* example : examples) {
    const auto* texts = &queries_;
    for (const auto& [ids, types] : example->sequences()) {
      for (size_t i = 0; i < ids.size(); ++i)
        if (texts->has_vector(ids[i])) rows.push_back(batch_.tokens() + static_cast<int64_t>(i));
      batch_.add(ids, types, texts->seen(ids));
      offsets_.push_back(std::ssize(rows));
      texts = &documents_;
    }
  }
  network_.forward(batch_, rows, dropout_seed, keep);
  if (projects()) network_.project(network_.hidden(), projected_);
  vectors_ = projects() ? &projected_ : &network_.hidden();
}

void LateLearning::backward(const nn::Tensor& gradient) {
  if (projects()) {
    network_.project_gradient(network_.hidden(), gradient, dhidden_);
  } else {
    dhidden_.copy(gradient);
  }
  network_.hidden_gradient(dhidden_);
}

// CoSENT is that of a dev set with labels.
nn::SimilarityResult LateLearning::loss(const nn::SimilarityOptions& options, const Compared& compared,
                                        nn::Tensor* gradient) const {
  if (options.loss == nn::SimilarityLoss::cosent)
    return {.loss = nn::cosent(compared.groups, similarities(compared), options.scale)};
  auto late = late_;
  late.loss = options;
  return nn::late_loss(network_.context(), late, batch_of(compared), gradient);
}

std::vector<double> LateLearning::similarities(const Compared& compared) const {
  return nn::late_scores(network_.context(), late_, batch_of(compared));
}

std::vector<int64_t> LateLearning::ranks_of_positives(const Compared& compared) const {
  return nn::late_ranks(network_.context(), late_, batch_of(compared));
}

}  // namespace bert::train
