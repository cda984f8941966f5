#include "train/learner.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

namespace bert::train {

namespace {

// Logits as a message to the other ranks: [rows, cols] and the numbers.
struct Logits {
  std::array<int64_t, 2> shape;
  std::string_view numbers;
};

void append(std::string& out, const nn::Tensor& logits) {
  const std::array<int64_t, 2> shape = {logits.rows(), logits.cols()};
  out.append(reinterpret_cast<const char*>(shape.data()), sizeof shape);
  for (int64_t row = 0; row < logits.rows(); ++row) {
    const auto values = logits.values(row);
    out.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  }
}

Logits take(std::string_view& in) {
  Logits logits;
  assert(in.size() >= sizeof logits.shape);
  std::memcpy(logits.shape.data(), in.data(), sizeof logits.shape);
  in.remove_prefix(sizeof logits.shape);
  const size_t bytes = logits.shape[0] * logits.shape[1] * sizeof(float);
  assert(in.size() >= bytes);
  logits.numbers = in.substr(0, bytes);
  in.remove_prefix(bytes);
  return logits;
}

// Below each other.
void stack(const std::vector<Logits>& parts, nn::Tensor& all) {
  int64_t rows = 0;
  for (const auto& part : parts) rows += part.shape[0];
  all.reshape(rows, parts.front().shape[1]);
  int64_t row = 0;
  for (auto part : parts) {
    for (const int64_t end = row + part.shape[0]; row < end; ++row) {
      const auto bytes = all.values(row).size_bytes();
      std::memcpy(all.row(row), part.numbers.data(), bytes);
      part.numbers.remove_prefix(bytes);
    }
  }
}

}  // namespace

void Learner::join(comm::Communicator& ranks, model::TrainingNetwork::Ready ready) {
  ranks_ = &ranks;
  ready_ = std::move(ready);
}

void Learner::add_gradients(const examples::Step& step, const StepPlace& place,
                            const std::function<void(Part, const nn::DropoutSeed&)>& forward) {
  network_.clear_gradients();
  std::vector<const examples::Batch*> batches;
  for (const auto& batch : step.batches)
    if (!batch.examples.empty()) batches.push_back(&batch);
  for (const auto* batch : batches) {
    std::vector<const examples::Example*> examples;
    for (const auto& example : batch->examples) examples.push_back(example.get());
    forward(examples, {.seed = place.seed, .step = place.step, .sequences = batch->sequences});
    network_.backward(batch == batches.back() ? ready_ : nullptr);
    if (after_batch_ && batch != batches.back()) after_batch_();
  }
}

std::vector<std::vector<const examples::Example*>> Learner::evaluation_parts(
    const examples::Examples& examples) const {
  constexpr int64_t kTokens = 4096;
  std::vector<std::vector<const examples::Example*>> parts;
  int64_t tokens = 0;
  for (const auto& example : examples) {
    tokens += example->tokens();
    if (parts.empty() || tokens > kTokens) {
      parts.emplace_back();
      tokens = example->tokens();
    }
    parts.back().push_back(example.get());
  }
  return parts;
}

Learner::Part Learner::range_of(int rank, Part part) const {
  int64_t total = 0, tokens = 0;
  for (const auto* example : part) total += example->tokens();
  size_t begin = 0, count = 0;
  for (const auto* example : part) {
    const int64_t at = tokens * ranks_->size() / total;  // the rank of this example
    begin += at < rank;
    count += at == rank;
    tokens += example->tokens();
  }
  return part.subspan(begin, count);
}

void Learner::sum_over_ranks(std::initializer_list<nn::Loss*> losses) {
  std::vector<double> sums;
  for (const auto* loss : losses)
    sums.insert(sums.end(),
                {loss->sum, static_cast<double>(loss->correct), static_cast<double>(loss->count)});
  ranks_->sum(sums);
  auto sum = sums.begin();
  for (auto* loss : losses) {
    loss->sum = *sum++;
    loss->correct = static_cast<int64_t>(*sum++);
    loss->count = static_cast<int64_t>(*sum++);
  }
}

metric::Values ClassifierLearner::learn(const examples::Step& step, const StepPlace& place) {
  Total total;
  for (const auto& batch : step.batches)
    for (const auto& example : batch.examples) total.importance += importance(*example);
  ranks().sum({&total.importance, 1});
  const float weight = total.importance > 0 ? static_cast<float>(1 / total.importance) : 0;
  add_gradients(step, place, [&](Part examples, const nn::DropoutSeed& dropout_seed) {
    nn::Tensor& logits = forward(examples, &dropout_seed, keep_);
    total.loss += loss(examples, weight, logits);
    network_.logits_gradient(logits);
  });
  sum_over_ranks({&total.loss});
  return metric::step_values({.loss = total.mean(), .step_accuracy = total.loss.accuracy()}, task());
}

void ClassifierLearner::begin_evaluation() {
  evaluated_ = {};
  evaluation_ = {};
}

metric::Values ClassifierLearner::end_evaluation() {
  evaluation_.loss = evaluated_.mean();
  return metric::dev_values(evaluation_, task());
}

// Each rank computes the logits of its ranges. All ranks have the logits of all examples then and compare
// their predictions, so that the results have the same bits for any number of ranks.
void ClassifierLearner::evaluate(const examples::Examples& examples) {
  const auto parts = evaluation_parts(examples);
  std::string own;
  for (const Part part : parts) {
    const auto range = range_of(ranks().rank(), part);
    if (range.empty()) continue;
    nn::Tensor& numbers = forward(range, nullptr, Keep::nothing);
    if (ranks().alone()) {
      evaluate(part, numbers);
    } else {
      append(own, numbers);
    }
  }
  if (ranks().alone()) return;
  const auto all = ranks().all_gather(own);
  std::vector<std::string_view> rest(all.begin(), all.end());
  for (const Part part : parts) {
    std::vector<Logits> ranges;
    for (int rank = 0; rank < ranks().size(); ++rank)
      if (!range_of(rank, part).empty()) ranges.push_back(take(rest[rank]));
    make_batch(part);
    stack(ranges, gathered_);
    evaluate(part, gathered_);
  }
}

void ClassifierLearner::make_batch(Part examples) {
  batch_ = {};
  for (const auto* example : examples)
    for (const auto& [ids, types] : example->sequences()) batch_.add(ids, types);
}

nn::Tensor& ClassifierLearner::forward(Part examples, const nn::DropoutSeed* dropout_seed, Keep keep) {
  make_batch(examples);
  const auto rows = head_rows(examples);
  network_.forward(batch_, rows, dropout_seed, keep);
  return network_.logits(rows);
}

void ClassifierLearner::evaluate(Part examples, nn::Tensor& logits) {
  add_predictions(examples, logits);
  evaluated_.loss += loss(examples, 0, logits);
  for (const auto* example : examples) evaluated_.importance += importance(*example);
}

}  // namespace bert::train
