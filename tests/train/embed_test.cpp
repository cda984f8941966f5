#include "train/embed.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "metric/correlation.h"
#include "train/small_learning.h"

using namespace bert;
using namespace bert::train;
using model::TrainingNetwork;
using nn::SimilarityLoss;

namespace {

struct Subject {
  Pool pool{2};
  TrainingNetwork network;
  EmbedLearning learning;

  explicit Subject(const EmbedLearning::Options& options = EmbedLearning::Options(), float dropout = 0)
      : network(small_config(dropout), {}, pool), learning(network, options) {
    start(network, pool);
  }
};

using Kind = examples::EmbedRecords;

std::unique_ptr<examples::EmbedExample> example(int number, Kind kind) {
  auto made = std::make_unique<examples::EmbedExample>();
  const int texts = kind == Kind::scored ? 2 : 2 + number % 3;
  for (int i = 0; i < texts; ++i) {
    std::vector<int32_t> ids = {2, 10 + number % 11, 11 + (number * 3 + i) % 17, 3};
    if ((number + i) % 2 == 0) ids.insert(ids.begin() + 1, 7 + number % 5);
    made->ids.insert(made->ids.end(), ids.begin(), ids.end());
    made->lengths.push_back(ids.size());
  }
  made->types.assign(made->ids.size(), 0);
  made->scored = kind == Kind::scored;
  made->label = number % 7 / 6.0;
  return made;
}

examples::Step step_of(int first, int count, int batches, Kind kind = Kind::pairs) {
  return numbered_step([kind](int number) { return example(number, kind); }, first, count, batches);
}

metric::Values evaluated(EmbedLearning& learning, Kind kind) {
  learning.begin_evaluation();
  learning.evaluate(step_of(0, 20, 1, kind).batches.front().examples);
  learning.evaluate(step_of(20, 13, 1, kind).batches.front().examples);
  return learning.end_evaluation();
}

std::vector<float> numbers_of(nn::Params& params) {
  const auto all = params.all();
  return {all.begin(), all.end()};
}

// The mean of the hidden states of each sequence, in double, as unit vectors.
std::vector<std::vector<double>> slow_vectors(TrainingNetwork& network, const examples::Examples& examples) {
  std::vector<std::vector<double>> vectors;
  for (const auto& one : examples) {
    for (const auto& [ids, types] : one->sequences()) {
      nn::Batch batch;
      batch.add(ids, types);
      std::vector<int64_t> rows(ids.size());
      std::iota(rows.begin(), rows.end(), int64_t{0});
      network.forward(batch, rows, nullptr, TrainingNetwork::Keep::nothing);
      std::vector<double> vector(static_cast<size_t>(network.hidden().cols()));
      for (const int64_t row : rows)
        for (size_t i = 0; i < vector.size(); ++i) vector[i] += network.hidden().row(row)[i];
      double squares = 0;
      for (const double x : vector) squares += x * x;
      for (double& x : vector) x /= std::sqrt(squares);
      vectors.push_back(vector);
    }
  }
  return vectors;
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

}  // namespace

TEST_CASE("with dropout, cached gradients of micro-batches equal those of one batch") {
  for (const auto loss : {SimilarityLoss::ranking, SimilarityLoss::symmetric, SimilarityLoss::triplet}) {
    Subject subject({.loss = {.loss = loss}}, 0.2f);
    const StepPlace place = {.seed = 5, .step = 3};
    const auto whole = subject.learning.learn(step_of(0, 12, 1), place);
    const auto expected = numbers_of(subject.network.gradients());
    const auto parts = subject.learning.learn(step_of(0, 3, 4), place);
    const auto gradients = numbers_of(subject.network.gradients());
    CHECK(figure(parts, "loss") == figure(whole, "loss"));
    double error = 0, norm = 0;
    for (size_t i = 0; i < expected.size(); ++i) {
      error += std::pow(static_cast<double>(gradients[i]) - expected[i], 2);
      norm += std::pow(static_cast<double>(expected[i]), 2);
    }
    CHECK(norm > 0);
    CHECK(std::sqrt(error / norm) < 1e-6);
    // Another step has other dropout.
    CHECK(figure(subject.learning.learn(step_of(0, 12, 1), {.seed = 5, .step = 4}), "loss") !=
          figure(whole, "loss"));
  }
}

TEST_CASE("dev metrics of pairs are those of a search through all candidates") {
  Subject subject;
  const auto figures = evaluated(subject.learning, Kind::pairs);
  const auto examples = std::move(step_of(0, 33, 1).batches.front().examples);
  const auto vectors = slow_vectors(subject.network, examples);
  std::vector<size_t> firsts;
  for (size_t i = 0, first = 0; i < examples.size(); ++i) {
    firsts.push_back(first);
    first += examples[i]->sequences().size();
  }
  double hits = 0, ten = 0, reciprocal = 0;
  for (size_t i = 0; i < examples.size(); ++i) {
    const auto& anchor = vectors[firsts[i]];
    const double own = dot(anchor, vectors[firsts[i] + 1]);
    int nearer = 0;
    for (size_t v = 0; v < vectors.size(); ++v) {
      const bool is_anchor = std::ranges::find(firsts, v) != firsts.end();
      nearer += !is_anchor && dot(anchor, vectors[v]) > own + 1e-6;
    }
    hits += nearer < 1;
    ten += nearer < 10;
    reciprocal += 1.0 / (1 + nearer);
  }
  CHECK(figure(figures, "recall_at_1") == doctest::Approx(hits / 33));
  CHECK(figure(figures, "recall_at_10") == doctest::Approx(ten / 33));
  CHECK(figure(figures, "mrr") == doctest::Approx(reciprocal / 33));
  CHECK(hits < 33);
  CHECK(ten > hits);
}

TEST_CASE("dev metrics of scored pairs are correlations of cosine and label, whatever is trained") {
  for (const auto loss : {SimilarityLoss::ranking, SimilarityLoss::cosent, SimilarityLoss::cosine}) {
    Subject subject({.loss = {.loss = loss}});
    const auto figures = evaluated(subject.learning, Kind::scored);
    const auto examples = std::move(step_of(0, 33, 1, Kind::scored).batches.front().examples);
    const auto vectors = slow_vectors(subject.network, examples);
    metric::Correlation expected;
    for (size_t i = 0; i < examples.size(); ++i) {
      const double cosine = dot(vectors[2 * i], vectors[2 * i + 1]);
      expected.add(examples[i]->as<examples::EmbedExample>().label, cosine);
    }
    CHECK(figure(figures, "pearson") == doctest::Approx(expected.pearson()).epsilon(1e-4));
    CHECK(figure(figures, "spearman") == doctest::Approx(expected.spearman()).epsilon(1e-2));
  }
}

TEST_CASE("the loss of a dev set is that of one step") {
  for (const auto loss : {SimilarityLoss::ranking, SimilarityLoss::symmetric, SimilarityLoss::triplet}) {
    Subject subject({.loss = {.loss = loss}});
    const double dev = figure(evaluated(subject.learning, Kind::pairs), "loss");
    CHECK(dev ==
          doctest::Approx(figure(subject.learning.learn(step_of(0, 33, 1), {}), "loss")).epsilon(1e-6));
  }
  for (const auto loss : {SimilarityLoss::cosent, SimilarityLoss::cosine}) {
    Subject subject({.loss = {.loss = loss}});
    const double dev = figure(evaluated(subject.learning, Kind::scored), "loss");
    const auto step = step_of(0, 33, 1, Kind::scored);
    CHECK(dev == doctest::Approx(figure(subject.learning.learn(step, {}), "loss")).epsilon(1e-6));
  }
}
