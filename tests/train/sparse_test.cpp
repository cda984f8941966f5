#include "train/sparse.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "train/small_learning.h"

using namespace bert;
using namespace bert::train;
using model::TrainingNetwork;

namespace {

struct Subject {
  Pool pool{2};
  TrainingNetwork network{small_config(), {model::head_of(task::Task::fill)}, pool};
  SparseLearning learning;

  explicit Subject(const SparseOptions& options)
      : learning(
            network,
            {.loss = {.loss = nn::SimilarityLoss::ranking, .scale = 1, .similarity = nn::Similarity::dot}},
            options) {
    start(network, pool);
  }
};

// A query, its document and a negative.
std::unique_ptr<examples::EmbedExample> example(int number) {
  auto made = std::make_unique<examples::EmbedExample>();
  for (int i = 0; i < 3; ++i) {
    for (const int32_t id : {2, 10 + number, 20 + (number * 3 + i) % 17, 3}) made->ids.push_back(id);
    made->lengths.push_back(4);
  }
  made->types.assign(made->ids.size(), 0);
  return made;
}

examples::Step step() { return numbered_step(example, 0, 4); }

double loss_with(const SparseOptions& options) {
  Subject subject(options);
  return figure(subject.learning.learn(step(), {}), "loss");
}

// Σ_v (the mean of w[v])² of these texts of each example, in double.
double slow_flops(const std::vector<size_t>& texts) {
  Subject subject({});
  auto& network = subject.network;
  const auto words = static_cast<size_t>(network.config().vocab_size);
  std::vector<double> sums(words);
  double count = 0;
  const auto one_step = step();
  for (const auto& one : one_step.batches.front().examples) {
    const auto sequences = one->sequences();
    for (const size_t text : texts) {
      nn::Batch batch;
      batch.add(sequences[text].ids, sequences[text].types);
      std::vector<int64_t> rows(sequences[text].ids.size());
      std::iota(rows.begin(), rows.end(), int64_t{0});
      network.forward(batch, rows, nullptr, TrainingNetwork::Keep::nothing);
      std::vector<double> most(words);
      network.word_logits(rows, [&](int64_t, const nn::Tensor& logits) {
        for (int64_t row = 0; row < logits.rows(); ++row)
          for (size_t v = 0; v < words; ++v) most[v] = std::max<double>(most[v], logits.row(row)[v]);
      });
      for (size_t v = 0; v < words; ++v) sums[v] += std::log1p(most[v]);
      ++count;
    }
  }
  double flops = 0;
  for (const double sum : sums) flops += sum / count * (sum / count);
  return flops;
}

}  // namespace

TEST_CASE("FLOPS is added of documents, negatives included, and of queries") {
  const auto with = [](double documents, double queries) {
    return loss_with({.document_flops = documents, .query_flops = queries});
  };
  const double documents = slow_flops({1, 2}), queries = slow_flops({0});
  CHECK(std::abs(documents - queries) > 0.1);
  CHECK(with(1, 0) - with(0, 0) == doctest::Approx(documents).epsilon(1e-5));
  CHECK(with(0, 2) - with(0, 0) == doctest::Approx(2 * queries).epsilon(1e-5));
}

TEST_CASE("the regularizer rises with the square of the steps, as in sentence-transformers") {
  const auto share = [](double warmup, uint64_t step, std::optional<int64_t> steps, double progress = 0) {
    return flops_share(warmup, {.step = step, .steps = steps, .progress = progress});
  };
  CHECK(share(1.0 / 3, 0, 300) == 0);
  CHECK(share(1.0 / 3, 50, 300) == 0.25);
  CHECK(share(1.0 / 3, 99, 300) == 0.99 * 0.99);
  CHECK(share(1.0 / 3, 100, 300) == 1);
  CHECK(share(1.0 / 3, 299, 300) == 1);
  CHECK(share(1.0 / 3, 3, 20) == 0.25);  // 6 steps
  CHECK(share(1.0 / 3, 0, 2) == 0);      // 1 step, not 0
  CHECK(share(1.0 / 3, 1, 2) == 1);
  CHECK(share(0, 0, 20) == 1);
  CHECK(share(0.5, 7, std::nullopt, 0.25) == 0.25);  // a run that is measured by time
  CHECK(share(0.5, 7, std::nullopt, 0.75) == 1);
  const SparseOptions whole = {.document_flops = 1, .query_flops = 2},
                      none = {.document_flops = 0, .query_flops = 0};
  auto warmed = whole;
  warmed.flops_warmup = 0.5;
  Subject subject(warmed);
  const auto loss_at = [&](uint64_t number) {
    return figure(subject.learning.learn(step(), {.step = number, .steps = 8}), "loss");
  };
  CHECK(loss_at(0) == doctest::Approx(loss_with(none)));
  CHECK(loss_at(8) == doctest::Approx(loss_with(whole)));
  CHECK(loss_at(2) - loss_with(none) ==
        doctest::Approx((loss_with(whole) - loss_with(none)) / 4).epsilon(1e-5));
}

TEST_CASE("gradients of weights of words are the slope of their loss") {
  for (const auto& entry : model::kSparsePoolings) {
    const auto pooling = entry.second;
    CAPTURE(entry.first);
    Subject subject({.pooling = pooling, .document_flops = 0.3, .query_flops = 0.2});
    subject.learning.learn(step(), {});
    const auto of_gradients = subject.network.gradients().all();
    const std::vector<float> gradients(of_gradients.begin(), of_gradients.end());
    const double squares = std::inner_product(gradients.begin(), gradients.end(), gradients.begin(), 0.0);
    const double far = 1e-3 / std::sqrt(squares);
    const auto moved = [&](double by) {
      const auto parameters = subject.network.parameters().all();
      for (size_t i = 0; i < parameters.size(); ++i)
        parameters[i] = static_cast<float>(parameters[i] + by * gradients[i]);
      subject.network.refresh();
      return figure(subject.learning.learn(step(), {}), "loss");
    };
    const double above = moved(far), below = moved(-2 * far);
    CHECK((above - below) / (2 * far) == doctest::Approx(squares).epsilon(0.01));
  }
}
