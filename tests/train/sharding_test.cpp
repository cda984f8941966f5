// Training by several ranks, which are threads of this process.
#include "train/sharding.h"

#include <doctest/doctest.h>

#include <atomic>
#include <cmath>
#include <cstring>
#include <mutex>

#include "comm/memory_transport.h"
#include "examples/sentence_example.h"
#include "examples/share.h"
#include "train/optimizer.h"
#include "train/sentence.h"
#include "train/small_learning.h"

using namespace bert;
using namespace bert::train;
using comm::Communicator;
using model::TrainingNetwork;

namespace {

std::unique_ptr<examples::Example> example(int32_t number) {
  auto made = std::make_unique<examples::SentenceExample>();
  made->label = number * 7 % 3;
  made->ids = {2, 10 + number % 11, 5 + made->label, 10 + number % 7, 3};
  made->ids.insert(made->ids.begin() + 1, static_cast<size_t>(number % 5), 20 + number % 13);
  made->types.assign(made->ids.size(), 0);
  return made;
}

// The rank's examples of a step. They have one sequence each.
examples::Step share_of(const examples::Step& whole, const Communicator& ranks) {
  examples::Step share;
  std::vector<int64_t> loads(static_cast<size_t>(ranks.size()));
  for (const auto& batch : whole.batches) {
    std::vector<examples::Weight> weights;
    for (const auto& one : batch.examples) weights.push_back({one->tokens(), 0});
    const auto owners = examples::share_out(weights, loads);
    auto& own = share.batches.emplace_back();
    for (size_t i = 0; i < owners.size(); ++i) {
      if (owners[i] != ranks.rank()) continue;
      own.add(std::make_unique<examples::SentenceExample>(batch.examples[i]->as<examples::SentenceExample>()),
              batch.sequences[i]);
    }
  }
  return share;
}

struct Result {
  std::vector<double> losses, accuracies;
  std::vector<float> parameters, moments;
  metric::Values evaluated;
  bool operator==(const Result& other) const {
    return losses == other.losses && accuracies == other.accuracies && parameters == other.parameters;
  }
};

struct Run {
  Method method = Method::adamw;
  std::optional<int64_t> frozen = std::nullopt;
  int32_t examples = 12;  // in a batch
  int32_t batches = 1;    // in a step
};

// Trains 12 steps as one of the ranks, with dropout and class weights, and evaluates.
Result train_as(Communicator& ranks, const Run& run) {
  Pool pool(1);
  const examples::Labels labels({"a", "b", "c"});
  TrainingNetwork network(small_config(0.1f, 3), {model::head_of(task::Task::classify)}, pool);
  start(network, pool);
  network.freeze(run.frozen);
  const auto learner =
      make_sentence_learner(task::Task::classify, network, labels, {.class_weights = {1, 0.3f, 2}});
  auto& learning = *learner;
  const auto& layout = network.parameters().layout();
  Sharding sharding(ranks, layout, run.frozen);
  Optimizer optimizer(layout, {.method = run.method, .frozen = run.frozen}, sharding.owned());
  learning.join(ranks, [&](int64_t level, nn::Params& gradients) { sharding.start_sum(level, gradients); });
  Result result;
  for (int32_t step = 0; step < 12; ++step) {
    const auto whole = numbered_step(example, step * run.examples * run.batches, run.examples, run.batches);
    const auto figures =
        learning.learn(share_of(whole, ranks), {.seed = 1, .step = static_cast<uint64_t>(step)});
    sharding.finish_sums(network.gradients());
    auto sums = square_sums(network.gradients(), network.context(), sharding.owned());
    sharding.complete(sums);
    optimizer.step(network.parameters(), network.gradients(), 3e-3, clip_factor(norm_of(sums), 0.5),
                   network.context(), [&](std::span<nn::SquareSums> all) { sharding.complete(all); });
    sharding.share(network.parameters());
    learning.refresh();
    result.losses.push_back(figure(figures, "loss"));
    result.accuracies.push_back(figure(figures, "accuracy"));
  }
  const auto parameters = network.parameters().all();
  result.parameters.assign(parameters.begin(), parameters.end());
  for (size_t i = 0; i < layout.entries().size(); ++i) {
    std::vector<float> moment(static_cast<size_t>(layout.entries()[i].count()));
    sharding.collect(optimizer.state().moments, Moment::v, static_cast<int>(i), moment);
    result.moments.insert(result.moments.end(), moment.begin(), moment.end());
  }
  learning.begin_evaluation();
  learning.evaluate(numbered_step(example, 1000, 90).batches.front().examples);
  result.evaluated = learning.end_evaluation();
  return result;
}

std::vector<Result> train_together(int size, const Run& run) {
  std::vector<Result> results(static_cast<size_t>(size));
  comm::run_ranks(
      size, [&](Communicator& ranks) { results[static_cast<size_t>(ranks.rank())] = train_as(ranks, run); });
  return results;
}

double distance(std::span<const float> a, std::span<const float> b) {
  double difference = 0, norm = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    difference += std::pow(static_cast<double>(a[i]) - b[i], 2);
    norm += std::pow(static_cast<double>(a[i]), 2);
  }
  return std::sqrt(difference / norm);
}

}  // namespace

TEST_CASE("several ranks learn as one does, but for rounding, and alike") {
  const Run runs[] = {{},
                      {.method = Method::lamb},
                      {.method = Method::google, .frozen = 0},
                      {.frozen = 1},
                      {.examples = 5, .batches = 3},
                      {.examples = 2}};  // fewer examples than ranks
  for (const auto& run : runs) {
    Communicator alone;
    const auto one = train_as(alone, run);
    for (const int size : {2, 3, 4}) {
      const auto results = train_together(size, run);
      for (const auto& result : results) CHECK(result == results.front());
      CHECK(train_together(size, run).front() == results.front());
      const auto& first = results.front();
      for (size_t step = 0; step < one.losses.size(); ++step) {
        CHECK(std::abs(first.losses[step] / one.losses[step] - 1) < 1e-5);
        CHECK(first.accuracies[step] == one.accuracies[step]);
      }
      CHECK(distance(one.parameters, first.parameters) < 1e-4);
      CHECK(distance(one.moments, first.moments) < 1e-4);
      for (size_t i = 0; i < one.evaluated.size(); ++i)
        CHECK(std::abs(one.evaluated[i].value - first.evaluated[i].value) < 1e-5);
    }
  }
}

TEST_CASE("a dev set has the same figures for any number of ranks, to the last digit") {
  const auto evaluate = [](Communicator& ranks) {
    Pool pool(1);
    const examples::Labels labels({"a", "b", "c"});
    TrainingNetwork network(small_config(0, 3), {model::head_of(task::Task::classify)}, pool);
    start(network, pool);
    const auto learner = make_sentence_learner(task::Task::classify, network, labels, {});
    auto& learning = *learner;
    learning.join(ranks, {});
    learning.begin_evaluation();
    learning.evaluate(numbered_step(example, 0, 200).batches.front().examples);
    learning.evaluate(numbered_step(example, 200, 1).batches.front().examples);
    return learning.end_evaluation();
  };
  Communicator alone;
  const auto expected = evaluate(alone);
  for (const int size : {2, 3, 5}) {
    std::mutex mutex;
    comm::run_ranks(size, [&](Communicator& ranks) {
      const auto figures = evaluate(ranks);
      const std::lock_guard lock(mutex);
      for (size_t i = 0; i < expected.size(); ++i) CHECK(figures[i].value == expected[i].value);
    });
  }
}

TEST_CASE("each slice has one owner, and ranks own about equal parts") {
  Pool pool(1);
  auto config = small_config();
  config.vocab_size = 9000;
  config.layers = 3;
  config.hidden = 64;
  TrainingNetwork network(config, {}, pool);
  const auto& layout = network.parameters().layout();
  const auto slices = slices_of(layout);
  std::mutex mutex;
  std::vector<int> owners(slices.size());
  std::vector<int64_t> owned(3);
  comm::run_ranks(3, [&](Communicator& ranks) {
    const Sharding sharding(ranks, layout, std::nullopt);
    const auto own = sharding.owned();
    const std::lock_guard lock(mutex);
    for (size_t i = 0; i < slices.size(); ++i) {
      owners[i] += own[i];
      if (own[i]) owned[static_cast<size_t>(ranks.rank())] += slices[i].count;
    }
  });
  for (const int count : owners) CHECK(count == 1);
  CHECK(*std::ranges::max_element(owned) - *std::ranges::min_element(owned) <= 1 << 16);
}
