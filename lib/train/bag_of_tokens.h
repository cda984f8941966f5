// A linear model of the tokens that a text has, in any order: what a network should be better than.
//
// Its inputs are the counts of the tokens times log((1 + texts) / (1 + texts with the token)) + 1, scaled to
// unit length; it minimizes |W|²/2 + the sum of the losses (half of it for squared errors), without a penalty
// for the biases. Of two classes, the difference of their weights has this penalty. This is TfidfVectorizer
// with LogisticRegression or Ridge of scikit-learn, with their default settings.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace bert::train {

// How the outputs for a text are compared with its target: by the cross-entropy of its class, by the mean
// binary cross-entropy of its labels, or by the squared error of its value.
enum class OutputLoss { softmax, logistic, squared };

// `target`: the number of the class; for each output 0 or 1; the value.
double output_loss(OutputLoss loss, std::span<const float> target, std::span<const float> outputs);

class BagOfTokens {
 public:
  BagOfTokens(OutputLoss loss, int32_t outputs) : loss_(loss), outputs_(outputs) {}

  void add(std::span<const int32_t> tokens, std::span<const float> target);
  // After all texts were added, of which there must be one.
  void fit();

  std::vector<float> outputs(std::span<const int32_t> tokens) const;
  // Those with the least loss for all texts, if they were the same for each.
  std::vector<float> constant() const;

 private:
  using Row = std::vector<std::pair<int32_t, float>>;  // number of the token from 0, input

  Row counted(std::span<const int32_t> tokens) const;  // without tokens that no text had
  void scale(Row& row) const;
  size_t target_size() const { return loss_ == OutputLoss::logistic ? outputs_ : 1; }
  std::span<const float> target(size_t text) const {
    return std::span(targets_).subspan(text * target_size(), target_size());
  }
  double objective(std::span<const double> weights, std::span<double> gradient) const;

  const OutputLoss loss_;
  const int32_t outputs_;
  std::vector<int32_t> numbers_;  // by id, -1: no text has it
  std::vector<int64_t> texts_;    // with each token
  std::vector<Row> rows_;
  std::vector<float> targets_;
  std::vector<float> inverse_;   // by token: the factor of its count
  std::vector<double> weights_;  // those of all outputs for each token, then the biases
};

}  // namespace bert::train
