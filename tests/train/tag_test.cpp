#include "train/tag.h"

#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "train/optimizer.h"
#include "train/small_learning.h"

using namespace bert;
using namespace bert::train;
using model::TrainingNetwork;
using Names = std::vector<std::string>;

namespace {

const Names kNames = {"O", "B-X", "I-X"};

struct Subject {
  Pool pool{2};
  examples::Labels labels;
  TrainingNetwork network;
  TagLearning learning;

  explicit Subject(const Names& names = kNames, std::vector<float> weights = {}, float dropout = 0)
      : labels(names),
        network(small_config(dropout, labels.size()), {model::head_of(task::Task::tag)}, pool),
        learning(network, labels, {.class_weights = std::move(weights)}) {
    start(network, pool);
  }
};

// Words of one or two tokens. A word's tag follows from its first token and the tag before it.
std::unique_ptr<examples::TagExample> example(int32_t number) {
  auto made = std::make_unique<examples::TagExample>();
  made->tags.emplace();
  made->ids = {2};
  int32_t before = 0;
  for (int32_t word = 0; word < 5; ++word) {
    const int32_t seen = (number * 7 + word * (number % 3 + 2)) % 11;
    const int32_t label = seen < 6 ? 0 : before == 0 ? 1 : 2;
    made->places.push_back(static_cast<int32_t>(made->ids.size()));
    made->labels.push_back(label);
    made->words.push_back(word);
    made->tags->push_back(kNames[static_cast<size_t>(label)]);
    made->ids.push_back(10 + seen);
    if (seen % 2 == 0) made->ids.push_back(25);
    before = label;
  }
  made->ids.push_back(3);
  made->types.assign(made->ids.size(), 0);
  return made;
}

examples::Step step_of(int32_t first, int32_t count, int32_t batches = 1) {
  return numbered_step(example, first, count, batches);
}

metric::Values evaluated(TagLearning& learning, examples::Examples& examples) {
  learning.begin_evaluation();
  learning.evaluate(examples);
  return learning.end_evaluation();
}

double distance(std::span<const float> a, std::span<const float> b) {
  double difference = 0, norm = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    difference += (static_cast<double>(a[i]) - b[i]) * (static_cast<double>(a[i]) - b[i]);
    norm += static_cast<double>(a[i]) * a[i];
  }
  return std::sqrt(difference / norm);
}

}  // namespace

TEST_CASE("tags are learned and evaluated by entity") {
  Subject subject;
  auto dev = std::move(step_of(1000, 60).batches.front().examples);
  const double before = figure(evaluated(subject.learning, dev), "f1");
  Optimizer optimizer(subject.network.parameters().layout(), {});
  metric::Values last;
  for (int step = 0; step < 80; ++step) {
    last = subject.learning.learn(step_of(step * 16, 16), {.seed = 1, .step = static_cast<uint64_t>(step)});
    optimizer.step(subject.network.parameters(), subject.network.gradients(), 5e-3, 1,
                   subject.network.context());
    subject.learning.refresh();
  }
  CHECK(figure(last, "loss") < 0.2);
  CHECK(figure(last, "accuracy") > 0.95);
  const auto figures = evaluated(subject.learning, dev);
  CHECK(figures.front().name == "loss");
  CHECK(before < 0.5);
  for (const auto* name : {"precision", "recall", "f1", "accuracy"}) CHECK(figure(figures, name) > 0.9);
}

TEST_CASE("several batches in a step give the same gradients as one, also with dropout") {
  for (const auto& weights : {std::vector<float>{}, {1, 2.5f, 0.5f}}) {
    Subject whole(kNames, weights, 0.3f), parts(kNames, weights, 0.3f);
    const auto one = whole.learning.learn(step_of(0, 24), {.seed = 5, .step = 2});
    const auto four = parts.learning.learn(step_of(0, 6, 4), {.seed = 5, .step = 2});
    CHECK(one.front().value == doctest::Approx(four.front().value).epsilon(1e-6));
    CHECK(distance(whole.network.gradients().all(), parts.network.gradients().all()) < 1e-5);
  }
}

TEST_CASE("dropout is applied to the classifier's input, differently in each step") {
  Subject subject(kNames, {}, 0.3f);
  const auto loss = [&](uint64_t step) {
    return subject.learning.learn(step_of(0, 8), {.seed = 5, .step = step}).front().value;
  };
  CHECK(loss(0) == loss(0));
  CHECK(loss(0) != loss(1));
}

TEST_CASE("a class weight of 2 equals repeating the words of that class") {
  Subject weighted(kNames, {2, 1, 1}), repeated;
  auto step = step_of(0, 9);
  const double loss = weighted.learning.learn(step, {}).front().value;
  auto& batch = step.batches.front();
  for (int32_t i = 0; i < 9; ++i) {
    auto again = example(i);
    for (size_t w = again->labels.size(); w-- > 0;) {
      if (again->labels[w] == 0) continue;
      again->labels.erase(again->labels.begin() + static_cast<ptrdiff_t>(w));
      again->places.erase(again->places.begin() + static_cast<ptrdiff_t>(w));
    }
    batch.add(std::move(again), batch.sequences.size());
  }
  CHECK(repeated.learning.learn(step, {}).front().value == doctest::Approx(loss).epsilon(1e-6));
  CHECK(distance(weighted.network.gradients().all(), repeated.network.gradients().all()) < 1e-5);
}

TEST_CASE("a record may be split into windows and parts and contain words without tokens") {
  Subject subject;
  const auto whole = [&] {
    examples::Examples examples;
    for (int32_t i = 0; i < 20; ++i) {
      auto one = example(i);
      one->tags->insert(one->tags->end(), {"O", "B-X"});  // words without tokens
      examples.push_back(std::move(one));
    }
    return examples;
  }();
  subject.learning.begin_evaluation();
  subject.learning.evaluate(whole);
  const auto expected = subject.learning.end_evaluation();

  // One window scores some words, a second the others; a third ends the record without any.
  subject.learning.begin_evaluation();
  for (int32_t i = 0; i < 20; ++i) {
    auto first = example(i), second = example(i), third = example(i);
    const auto cut = [](examples::TagExample& of, size_t begin, size_t end) {
      for (auto* list : {&of.places, &of.labels, &of.words})
        *list = std::vector<int32_t>(list->begin() + static_cast<ptrdiff_t>(begin),
                                     list->begin() + static_cast<ptrdiff_t>(end));
    };
    cut(*first, 0, 3);
    cut(*second, 3, 5);
    cut(*third, 0, 0);
    first->tags.reset();
    second->tags.reset();
    third->tags = whole[static_cast<size_t>(i)]->as<examples::TagExample>().tags;
    examples::Examples one, others;
    one.push_back(std::move(first));
    others.push_back(std::move(second));
    others.push_back(std::move(third));
    subject.learning.evaluate(one);
    subject.learning.evaluate(others);
  }
  const auto found = subject.learning.end_evaluation();
  REQUIRE(found.size() == expected.size());
  CHECK(found[0].value == doctest::Approx(expected[0].value));
  for (size_t i = 1; i < found.size(); ++i) CHECK(found[i].value == expected[i].value);
}

TEST_CASE("labels that form no entities are evaluated by accuracy") {
  Subject subject({"DET", "NOUN", "O"});
  auto one = example(1);
  one->tags = {"DET", "NOUN", "DET", "NOUN", "DET"};
  examples::Examples dev;
  dev.push_back(std::move(one));
  const auto figures = evaluated(subject.learning, dev);
  CHECK(figures.size() == 2);
  CHECK(figures.back().name == "accuracy");
}
