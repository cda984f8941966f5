#include "heads.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <span>

#include "base/pool.h"
#include "head_network.h"
#include "nn/losses.h"

namespace bert::golden {
namespace {

using model::TrainingNetwork;
using Keep = TrainingNetwork::Keep;
using Examples = std::span<const HeadExample>;

// The divisor of the losses of a step.
double count_of(const HeadCase& one, Examples step) {
  double count = 0;
  for (const auto& example : step) {
    if (one.task == "classify") {
      count += one.class_weights.empty() ? 1 : one.class_weights.at(static_cast<size_t>(example.gold.at(0)));
    } else if (one.task == "tag") {
      count += static_cast<double>(example.gold.size()) -
               static_cast<double>(std::ranges::count(example.gold, kIgnored));
    } else if (one.task == "multilabel") {
      count += static_cast<double>(example.targets.size());
    } else {
      count += one.task == "answer" ? 2 : 1;
    }
  }
  return count;
}

// A micro-batch in the form that the network expects.
struct HeadBatch {
  nn::Batch batch;
  std::vector<int64_t> rows;    // of the tokens that the head reads
  std::vector<int64_t> groups;  // index of each example's first sequence, and the number of sequences
  std::vector<int32_t> gold;
  std::vector<float> targets, importance;

  HeadBatch(const HeadCase& one, Examples examples) : groups{0} {
    for (const auto& example : examples) {
      const int64_t begin = batch.tokens();
      for (const auto& sequence : example.sequences) {
        if (!one.over_tokens()) rows.push_back(batch.tokens());
        batch.add(sequence.ids, sequence.types);
      }
      groups.push_back(batch.sequences());
      for (int64_t row = begin; one.over_tokens() && row < batch.tokens(); ++row) {
        if (one.task == "answer" || example.gold.at(static_cast<size_t>(row - begin)) != kIgnored)
          rows.push_back(row);
      }
      std::ranges::remove_copy(example.gold, std::back_inserter(gold), kIgnored);
      targets.insert(targets.end(), example.targets.begin(), example.targets.end());
      if (!one.class_weights.empty())
        importance.push_back(one.class_weights.at(static_cast<size_t>(example.gold.at(0))));
    }
  }
};

// The path from logits to their gradient for each task.
nn::Loss loss_of(const HeadCase& one, const HeadBatch& batch, float weight, nn::Context& context,
                 nn::Tensor& logits) {
  if (one.task == "regress") return nn::squared_loss(batch.targets, weight, logits);
  if (one.task == "multilabel") return nn::logistic_loss(batch.targets, weight, logits);
  if (one.task == "choose") return nn::place_loss(context, batch.groups, batch.gold, weight, logits);
  if (one.task == "answer") return nn::place_loss(context, batch.batch.offsets, batch.gold, weight, logits);
  return nn::softmax_loss(context, {.gold = batch.gold, .importance = batch.importance}, weight, logits);
}

// Sums over the step. Unless Keep is `nothing`, network.gradients() has the gradients of the mean.
nn::Loss run_step(TrainingNetwork& network, const HeadCase& one, const std::vector<Examples>& micro_batches,
                  Keep keep) {
  const auto weight = static_cast<float>(1 / count_of(one, one.examples));
  network.clear_gradients();
  nn::Loss sum;
  for (const auto& examples : micro_batches) {
    const HeadBatch batch(one, examples);
    network.forward(batch.batch, batch.rows, nullptr, keep);
    nn::Tensor& logits = network.logits(batch.rows);
    sum += loss_of(one, batch, weight, network.context(), logits);
    if (keep == Keep::nothing) continue;
    network.logits_gradient(logits);
    network.backward();
  }
  return sum;
}

std::vector<Examples> whole(const HeadCase& one) { return {Examples(one.examples)}; }
std::vector<Examples> cut(const HeadCase& one) {
  const auto first = static_cast<size_t>(one.first);
  const Examples all(one.examples);
  return {all.first(first), all.subspan(first)};
}

void check_loss(const nn::Loss& loss, const HeadCase& one) {
  CHECK(std::abs(loss.sum / count_of(one, one.examples) - one.loss) <= 1e-6 * one.loss);
  CHECK(loss.correct == one.right);
}

void check_gradients(const nn::Params& gradients, const HeadCase& one) {
  const auto& entries = gradients.layout().entries();
  for (size_t place = 0; place < entries.size(); ++place) {
    const auto& name = entries[place].name;
    const double share =
        gradient_share(gradients.tensor(static_cast<int>(place)), one.gradients.at(name), one.norm);
    CHECK_MESSAGE(share <= 1, name, ": ", share, " of what is allowed");
  }
}

}  // namespace

TEST_CASE("each head's network has the reference's parameters") {
  Pool pool(1);
  std::set<std::string> tasks;
  for (const auto& one : load_head_cases()) {
    INFO(one.name);
    auto network = load_head_network(one, pool);
    std::set<std::string> ours, theirs;
    for (const auto& entry : network.parameters().layout().entries()) ours.insert(entry.name);
    for (const auto& [parameter, gradient] : one.gradients) theirs.insert(parameter);
    CHECK(ours == theirs);
    tasks.insert(one.task);
  }
  CHECK(tasks == std::set<std::string>{"answer", "choose", "classify", "multilabel", "regress", "tag"});
}

TEST_CASE("losses and gradients of every head match PyTorch's in float64, for any micro-batches") {
  Pool pool(2);
  for (const auto& one : load_head_cases()) {
    auto network = load_head_network(one, pool);
    for (const Keep keep : {Keep::activations, Keep::inputs, Keep::nothing}) {
      for (const auto& micro_batches : {whole(one), cut(one)}) {
        INFO(one.name, ", ", micro_batches.size(), " micro-batches, Keep ", static_cast<int>(keep));
        check_loss(run_step(network, one, micro_batches, keep), one);
        if (keep != Keep::nothing) check_gradients(network.gradients(), one);
      }
    }
  }
}

TEST_CASE("threads do not change any bit of a head's loss and gradients") {
  for (const auto& one : load_head_cases()) {
    INFO(one.name);
    CHECK(same_for_threads([&](Pool& pool) {
      auto network = load_head_network(one, pool);
      const auto loss = run_step(network, one, cut(one), Keep::activations);
      return StepBits(loss.sum, network.gradients().all());
    }));
  }
}

}  // namespace bert::golden
