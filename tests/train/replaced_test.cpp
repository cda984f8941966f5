#include "train/replaced.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <random>

#include "train/optimizer.h"
#include "train/small_learning.h"

using namespace bert;
using namespace bert::train;
using model::TrainingNetwork;

namespace {

const std::string kGenerator =
    std::filesystem::path(__FILE__).parent_path().parent_path() / "golden" / "models" / "masked-lm";

model::Config discriminator(int64_t vocab_size) {
  auto config = small_config();
  config.type = model::find_model_type("electra");
  config.vocab_size = vocab_size;
  return config;
}

struct Subject {
  Pool pool{2};
  model::Directory directory = model::open_directory(kGenerator);
  text::Tokenizer tokenizer = model::load_tokenizer(directory);
  TrainingNetwork network{discriminator(tokenizer.size()), {model::head_of(task::Task::replaced)}, pool};
  ReplacedLearning learning{network, Generator(directory, tokenizer, pool), tokenizer.size(),
                            Learner::Keep::activations};

  Subject() { start(network, pool); }

  // Two of ten tokens are masked.
  std::unique_ptr<examples::PretrainExample> example(int32_t number) const {
    auto made = std::make_unique<examples::PretrainExample>();
    for (int32_t i = 0; i < 10; ++i) made->ids.push_back(100 + (number * 7 + i * (number % 3 + 2)) % 90);
    for (const int32_t position : {2, 3 + number % 6}) {
      made->positions.push_back(position);
      made->gold.push_back(std::exchange(made->ids[static_cast<size_t>(position)], tokenizer.mask()));
    }
    made->types.assign(made->ids.size(), 0);
    made->chance = Random(5, {static_cast<uint64_t>(number)});
    return made;
  }
  examples::Step step_of(int32_t first, int32_t count, int32_t batches = 1) const {
    return numbered_step([this](int32_t number) { return example(number); }, first, count, batches);
  }
};

}  // namespace

TEST_CASE("samples have the probabilities of the softmax") {
  std::vector<float> logits = {0.5f, -1, 2, 0.25f, -30, 1};
  double sum = 0;
  for (const float logit : logits) sum += std::exp(static_cast<double>(logit));
  constexpr int kDraws = 20000;
  std::vector<int> counts(logits.size());
  for (int i = 0; i < kDraws; ++i) ++counts[static_cast<size_t>(sampled(logits, (i + 0.5) / kDraws))];
  for (size_t id = 0; id < logits.size(); ++id)
    CHECK(std::abs(counts[id] - kDraws * std::exp(static_cast<double>(logits[id])) / sum) <= 1);
  CHECK(sampled(logits, 0) == 0);
  CHECK(sampled(logits, std::nextafter(1.0, 0.0)) == 5);
  CHECK(sampled(std::vector<float>{-200, 0, -200}, 0) == 1);
  logits[1] = INFINITY;
  CHECK_THROWS_AS(sampled(logits, 0.5), Error);
}

TEST_CASE("a masked token is filled regardless of the other sequences") {
  Subject subject;
  Generator generator(subject.directory, subject.tokenizer, subject.pool);
  const auto filled = [&](std::initializer_list<int32_t> numbers) {
    nn::Batch batch;
    std::vector<int64_t> rows;
    std::vector<double> chances;
    for (const int32_t number : numbers) {
      const auto example = subject.example(number);
      Random random = example->chance;
      for (const int32_t position : example->positions) {
        rows.push_back(batch.tokens() + position);
        chances.push_back(random.uniform());
      }
      batch.add(example->ids, example->types);
    }
    return generator.fill(batch, rows, chances);
  };
  auto one = filled({1});
  const auto two = filled({2}), both = filled({1, 2});
  one.insert(one.end(), two.begin(), two.end());
  CHECK(both == one);
  CHECK(filled({}).empty());
}

TEST_CASE("the loss is the mean cross-entropy of all tokens, of which samples that fit are original") {
  Subject subject;
  Generator generator(subject.directory, subject.tokenizer, subject.pool);
  nn::Batch batch;
  std::vector<float> targets;
  for (int32_t number = 0; number < 6; ++number) {
    const auto example = subject.example(number);
    Random random = example->chance;
    std::vector<int64_t> rows(example->positions.begin(), example->positions.end());
    const std::vector chances = {random.uniform(), random.uniform()};
    nn::Batch masked;
    masked.add(example->ids, example->types);
    const auto ids = generator.fill(masked, rows, chances);
    std::vector<float> replaced(example->ids.size());
    for (size_t i = 0; i < ids.size(); ++i) {
      masked.ids[static_cast<size_t>(rows[i])] = ids[i];
      replaced[static_cast<size_t>(rows[i])] = ids[i] == example->gold[i] ? 0.0f : 1.0f;
    }
    batch.add(masked.ids, masked.types);
    targets.insert(targets.end(), replaced.begin(), replaced.end());
  }
  std::vector<int64_t> rows(targets.size());
  std::iota(rows.begin(), rows.end(), 0);
  subject.network.forward(batch, rows, nullptr, TrainingNetwork::Keep::nothing);
  const auto& logits = subject.network.logits(rows);
  double loss = 0, correct = 0;
  for (size_t row = 0; row < targets.size(); ++row) {
    const double logit = logits.row(static_cast<int64_t>(row))[0];
    loss += std::log1p(std::exp(logit)) - targets[row] * logit;
    correct += (logit > 0) == (targets[row] == 1) ? 1 : 0;
  }
  const auto values = subject.learning.learn(subject.step_of(0, 6), {});
  CHECK(figure(values, "loss") == doctest::Approx(loss / 60).epsilon(1e-6));
  CHECK(figure(values, "accuracy") == doctest::Approx(correct / 60));
}

TEST_CASE("gradients do not depend on how a step of replaced tokens is divided into batches") {
  Subject subject;
  subject.learning.learn(subject.step_of(0, 6), {});
  const auto all = subject.network.gradients().all();
  const std::vector<float> whole(all.begin(), all.end());
  subject.learning.learn(subject.step_of(0, 2, 3), {});
  double difference = 0, norm = 0;
  for (size_t i = 0; i < whole.size(); ++i) {
    difference += std::pow(static_cast<double>(whole[i]) - subject.network.gradients().all()[i], 2);
    norm += std::pow(static_cast<double>(whole[i]), 2);
  }
  CHECK(norm > 0);
  CHECK(std::sqrt(difference / norm) < 1e-5);
}

TEST_CASE("replaced tokens are found after training") {
  Subject subject;
  auto dev = std::move(subject.step_of(500, 40).batches.front().examples);
  const auto evaluated = [&] {
    subject.learning.begin_evaluation();
    subject.learning.evaluate(dev);
    return subject.learning.end_evaluation();
  };
  const auto before = evaluated();
  for (const auto* name : {"loss", "accuracy", "precision", "recall", "f1"}) CHECK(figure(before, name) >= 0);
  Optimizer optimizer(subject.network.parameters().layout(), {});
  for (int32_t step = 0; step < 150; ++step) {
    subject.learning.learn(subject.step_of(step * 16 % 400, 16),
                           {.seed = 1, .step = static_cast<uint64_t>(step)});
    optimizer.step(subject.learning.parameters(), subject.learning.gradients(), 3e-3, 1,
                   subject.learning.context());
    subject.learning.refresh();
  }
  const auto after = evaluated();
  CHECK(figure(after, "loss") < 0.6 * figure(before, "loss"));
  CHECK(figure(after, "f1") > 0.5);
}

TEST_CASE("with gdes, a discriminator trains the difference from the embeddings of its generator") {
  constexpr double kRate = 0.1, kDecay = 0.5;
  auto config = discriminator(57);
  config.generator_heads = 1;
  config.embedding_sharing = model::EmbeddingSharing::gdes;
  Pool pool(2);
  TrainingNetwork network(config, {model::head_of(task::Task::replaced)}, pool);
  start(network, pool);
  auto &parameters = network.parameters(), &gradients = network.gradients();
  const std::vector<float> before(parameters.all().begin(), parameters.all().end());
  const auto& entries = parameters.layout().entries();
  std::mt19937 random(1);
  for (size_t place = 0; place < entries.size(); ++place)
    for (float& number : gradients.tensor(static_cast<int>(place))) number = random() % 2 == 0 ? 1.0f : -1.0f;
  Optimizer optimizer(parameters.layout(), {.weight_decay = kDecay});
  network.begin_update();
  optimizer.step(parameters, gradients, kRate, 1, network.context());
  network.end_update();
  int pairs = 0;
  for (size_t place = 0; place < entries.size(); ++place) {
    const auto& name = entries[place].name;
    const auto found =
        std::ranges::find(entries, std::string(model::kGeneratorPrefix) + name, &nn::LayoutEntry::name);
    if (!name.starts_with("embeddings.") || found == entries.end()) continue;
    INFO(name);
    const int own = static_cast<int>(place), its = static_cast<int>(found - entries.begin());
    const double kept = decays(name) ? 1 - kRate * kDecay : 1;
    double worst = 0;
    for (size_t i = 0; i < parameters.tensor(own).size(); ++i) {
      const double theirs = before[parameters.start(its) + i], ours = before[parameters.start(own) + i];
      const double generator = kept * theirs - kRate * gradients.tensor(its)[i];
      const double difference = kept * (ours - theirs) - kRate * gradients.tensor(own)[i];
      worst = std::max({worst, std::abs(parameters.tensor(its)[i] - generator),
                        std::abs(parameters.tensor(own)[i] - (generator + difference))});
    }
    CHECK(worst < 1e-6);
    ++pairs;
  }
  CHECK(pairs == 5);  // words, positions, types, gain and bias of the normalization
}
