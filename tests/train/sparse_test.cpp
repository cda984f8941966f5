#include "train/sparse.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "train/small_learning.h"

using namespace bert;
using namespace bert::train;
using model::TrainingNetwork;

namespace {

struct Subject {
  Pool pool{2};
  TrainingNetwork network;
  SparseLearning learning;

  explicit Subject(const SparseOptions& options, const model::Config& config = small_config())
      : network(config, {model::head_of(task::Task::fill)}, pool),
        learning(
            network,
            {.loss = {.loss = nn::SimilarityLoss::ranking, .scale = 1, .similarity = nn::Similarity::dot}},
            options) {
    start(network, pool);
  }
};

constexpr int64_t kTable = 50;  // fewer than the words of the model

model::Config with_table(float dropout = 0) {
  auto config = small_config(dropout);
  config.query_table = kTable;
  return config;
}

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

// The query is looked up: two different tokens, none in every third example.
std::unique_ptr<examples::EmbedExample> looked_up(int number) {
  auto made = example(number);
  made->looked_up = 1;
  if (number % 3 == 2) {
    made->ids.erase(made->ids.begin(), made->ids.begin() + 4);
    made->types.resize(made->ids.size());
    made->lengths[0] = 0;
  } else {
    made->ids[0] = made->ids[3] = 20;
  }
  return made;
}

std::vector<float> copy_of(std::span<const float> numbers) { return {numbers.begin(), numbers.end()}; }

double loss_with(const SparseOptions& options) {
  Subject subject(options);
  return figure(subject.learning.learn(step(), {}), "loss");
}

// The weights of words by their maximum, in double.
std::vector<double> slow_weights(TrainingNetwork& network, const examples::TokenSequence& text) {
  nn::Batch batch;
  batch.add(text.ids, text.types);
  std::vector<int64_t> rows(text.ids.size());
  std::iota(rows.begin(), rows.end(), int64_t{0});
  network.forward(batch, rows, nullptr, TrainingNetwork::Keep::nothing);
  const auto words = static_cast<size_t>(network.config().vocab_size);
  std::vector<double> most(words);
  network.word_logits(rows, [&](int64_t, const nn::Tensor& logits) {
    for (int64_t row = 0; row < logits.rows(); ++row)
      for (size_t v = 0; v < words; ++v) most[v] = std::max<double>(most[v], logits.row(row)[v]);
  });
  for (double& weight : most) weight = std::log1p(weight);
  return most;
}

// Σ_v (the mean of w[v])² of these texts of each example, in double.
double slow_flops(const std::vector<size_t>& texts) {
  Subject subject({});
  std::vector<double> sums(static_cast<size_t>(subject.network.config().vocab_size));
  double count = 0;
  const auto one_step = step();
  for (const auto& one : one_step.batches.front().examples) {
    for (const size_t text : texts) {
      const auto weights = slow_weights(subject.network, one->sequences()[text]);
      for (size_t v = 0; v < sums.size(); ++v) sums[v] += weights[v];
      ++count;
    }
  }
  double flops = 0;
  for (const double sum : sums) flops += sum / count * (sum / count);
  return flops;
}

// Of the loss mean_q -ln(e^s[q,q] / Σ_d e^s[q,d]) + λ·Σ_v (mean_q w[q,v])² with s[q,d] = Σ_v w[q,v]·w[d,v],
// where w[q,v] is `weight` for the tokens v of a query q.
std::vector<double> slow_table_gradient(TrainingNetwork& network, const examples::Step& step, double weight,
                                        double flops) {
  std::vector<std::set<int32_t>> queries;
  std::vector<std::vector<double>> documents;  // those of queries come first
  for (const size_t place : {1U, 2U})
    for (const auto& one : step.batches.front().examples)
      documents.push_back(slow_weights(network, one->sequences()[place]));
  for (const auto& one : step.batches.front().examples)
    queries.emplace_back(one->sequences()[0].ids.begin(), one->sequences()[0].ids.end());
  const auto count = static_cast<double>(queries.size());
  std::vector<double> gradient(kTable), uses(kTable);
  for (const auto& query : queries)
    for (const int32_t token : query) ++uses[static_cast<size_t>(token)];
  for (size_t q = 0; q < queries.size(); ++q) {
    std::vector<double> powers;
    for (const auto& document : documents) {
      double score = 0;
      for (const int32_t token : queries[q]) score += weight * document[static_cast<size_t>(token)];
      powers.push_back(std::exp(score));
    }
    const double sum = std::accumulate(powers.begin(), powers.end(), 0.0);
    for (const int32_t token : queries[q]) {
      const auto v = static_cast<size_t>(token);
      for (size_t d = 0; d < documents.size(); ++d)
        gradient[v] += (powers[d] / sum - (d == q ? 1 : 0)) * documents[d][v] / count;
      gradient[v] += 2 * flops * weight * uses[v] / count / count;
    }
  }
  return gradient;
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
  for (const bool table : {false, true}) {
    for (const auto& entry : model::kSparsePoolings) {
      const auto pooling = entry.second;
      CAPTURE(table);
      CAPTURE(entry.first);
      Subject subject({.pooling = pooling, .document_flops = 0.3, .query_flops = 0.2},
                      table ? with_table() : small_config());
      const auto one_step = numbered_step(table ? looked_up : example, 0, 4);
      subject.learning.learn(one_step, {});
      const auto gradients = copy_of(subject.network.gradients().all());
      const double squares = std::inner_product(gradients.begin(), gradients.end(), gradients.begin(), 0.0);
      const double far = 1e-3 / std::sqrt(squares);
      const auto moved = [&](double by) {
        const auto parameters = subject.network.parameters().all();
        for (size_t i = 0; i < parameters.size(); ++i)
          parameters[i] = static_cast<float>(parameters[i] + by * gradients[i]);
        subject.network.refresh();
        return figure(subject.learning.learn(one_step, {}), "loss");
      };
      const double above = moved(far), below = moved(-2 * far);
      CHECK((above - below) / (2 * far) == doctest::Approx(squares).epsilon(0.01));
    }
  }
}

TEST_CASE("the gradient of a table of queries is that of its slow twin") {
  Subject subject({.document_flops = 0, .query_flops = 0.5}, with_table());
  std::ranges::fill(subject.network.query_table(), 0.75f);
  const auto one_step = numbered_step(looked_up, 0, 4);
  subject.learning.learn(one_step, {});
  const auto gradient = copy_of(subject.network.query_table_gradient());
  const auto slow = slow_table_gradient(subject.network, one_step, 0.75, 0.5);
  for (size_t token = 0; token < kTable; ++token) {
    CAPTURE(token);
    CHECK(std::abs(gradient[token] - slow[token]) < 1e-6);
  }
  CHECK(std::ranges::count_if(slow, [](double number) { return std::abs(number) > 1e-3; }) > 5);
}

TEST_CASE("a frozen table of queries has no gradient, and the network the same one") {
  SparseOptions options = {.document_flops = 0.3, .query_flops = 0.2};
  const auto gradients_of = [&] {
    Subject subject(options, with_table());
    subject.learning.learn(numbered_step(looked_up, 0, 4), {});
    auto table = copy_of(subject.network.query_table_gradient());
    std::ranges::fill(subject.network.query_table_gradient(), 0.0f);
    return std::pair(table, copy_of(subject.network.gradients().all()));
  };
  const auto trained = gradients_of();
  options.freezes_queries = true;
  const auto frozen = gradients_of();
  CHECK(std::ranges::any_of(trained.first, [](float number) { return number != 0; }));
  CHECK(std::ranges::all_of(frozen.first, [](float number) { return number == 0; }));
  CHECK(frozen.second == trained.second);
}

TEST_CASE("weights of a table of queries stay at least 0") {
  Subject subject({}, with_table());
  const auto table = subject.network.query_table();
  table[7] = -0.5f;
  table[8] = 0.25f;
  subject.learning.end_update();
  CHECK(table[7] == 0);
  CHECK(table[8] == 0.25f);
}

// Also dropout, which depends on the numbers of the sequences that the network reads.
TEST_CASE("gradients with a table of queries do not depend on micro-batches") {
  const SparseOptions options = {.document_flops = 0.3, .query_flops = 0.2};
  const auto gradients_of = [&](int count, int batches) {
    Subject subject(options, with_table(0.1f));
    subject.learning.learn(numbered_step(looked_up, 0, count, batches), {});
    return copy_of(subject.network.gradients().all());
  };
  const auto whole = gradients_of(6, 1), parts = gradients_of(2, 3);
  for (size_t i = 0; i < whole.size(); ++i) CHECK(parts[i] == doctest::Approx(whole[i]).epsilon(1e-4));
}
