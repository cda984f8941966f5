// Training of late interaction: a vector for each token of a query and of a document, compared by a loss of
// nn/late_losses.h. The first text of an example is the query.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "heads/late_texts.h"
#include "nn/late_losses.h"
#include "train/embed.h"

namespace bert::train {

class LateLearning final : public EmbedLearning {
 public:
  // `loss.loss` is that of `options`. The network may have a projection, of each token's hidden state.
  // `queries` and `documents` must outlive this object.
  LateLearning(model::TrainingNetwork& network, Options options, nn::LateOptions late,
               const heads::LateTexts& queries, const heads::LateTexts& documents)
      : EmbedLearning(network, std::move(options)),
        late_(std::move(late)),
        queries_(queries),
        documents_(documents) {}

 protected:
  void forward(Part examples, const nn::DropoutSeed* dropout_seed, Keep keep) override;
  void backward(const nn::Tensor& gradient) override;
  nn::SimilarityResult loss(const nn::SimilarityOptions& options, const Compared& compared,
                            nn::Tensor* gradient) const override;
  std::vector<double> similarities(const Compared& compared) const override;
  std::vector<int64_t> ranks_of_positives(const Compared& compared) const override;

 private:
  static nn::LateBatch batch_of(const Compared& compared) {
    return {.groups = compared.groups, .offsets = compared.offsets, .vectors = compared.vectors};
  }
  bool projects() const { return network_.config().projection.out != 0; }

  const nn::LateOptions late_;
  const heads::LateTexts &queries_, &documents_;
  nn::Tensor projected_, dhidden_;
};

}  // namespace bert::train
