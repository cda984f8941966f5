#include "train/sentence.h"

#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "examples/sentence_example.h"
#include "train/optimizer.h"
#include "train/small_learning.h"

using namespace bert;
using namespace bert::train;
using model::TrainingNetwork;
using task::Task;

namespace {

struct Subject {
  Pool pool{2};
  examples::Labels labels;
  TrainingNetwork network;
  std::unique_ptr<Learner> learner;
  Learner& learning = *learner;

  Subject(Task task, std::vector<std::string> names, std::vector<float> weights = {})
      : labels(std::move(names)),
        network(small_config(0, task == Task::regress ? 1 : labels.size()), {model::head_of(task)}, pool),
        learner(make_sentence_learner(task, network, labels, {.class_weights = std::move(weights)})) {
    start(network, pool);
  }
};

// A sequence in which one token at a varying position determines class, value and label set.
std::unique_ptr<examples::Example> example(int32_t number) {
  auto made = std::make_unique<examples::SentenceExample>();
  const int32_t label = number * 7 % 3;
  made->ids = {2, 10 + number % 11, 10 + number % 7, 3};
  made->ids.insert(made->ids.begin() + 1 + number % 3, 5 + label);
  made->types.assign(made->ids.size(), 0);
  made->label = label;
  made->value = static_cast<float>(label) - 1;
  made->targets = {label == 0 ? 1.0f : 0.0f, label != 1 ? 1.0f : 0.0f};
  return made;
}

examples::Step step_of(int32_t first, int32_t count, int32_t batches = 1) {
  return numbered_step(example, first, count, batches);
}

metric::Values evaluated(Learner& learning) {
  learning.begin_evaluation();
  learning.evaluate(step_of(1000, 50).batches.front().examples);
  learning.evaluate(step_of(1050, 40).batches.front().examples);
  return learning.end_evaluation();
}

void learn_for(Subject& subject, int steps) {
  Optimizer optimizer(subject.network.parameters().layout(), {});
  for (int step = 0; step < steps; ++step) {
    subject.learning.learn(step_of(step * 16, 16), {.seed = 1, .step = static_cast<uint64_t>(step)});
    optimizer.step(subject.network.parameters(), subject.network.gradients(), 5e-3, 1,
                   subject.network.context());
    subject.learning.refresh();
  }
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

TEST_CASE("each sentence task is learned and evaluated with its metrics on a dev set") {
  Subject classify(Task::classify, {"a", "b", "c"});
  const double before = figure(evaluated(classify.learning), "accuracy");
  learn_for(classify, 60);
  const auto figures = evaluated(classify.learning);
  CHECK(figures.front().name == "loss");
  CHECK(before < 0.8);
  CHECK(figure(figures, "accuracy") > 0.98);
  CHECK(figure(figures, "macro_f1") > 0.98);
  CHECK(figure(figures, "matthews") > 0.97);

  Subject regress(Task::regress, {});
  learn_for(regress, 60);
  CHECK(figure(evaluated(regress.learning), "loss") < 0.05);
  CHECK(figure(evaluated(regress.learning), "pearson") > 0.97);
  CHECK(figure(evaluated(regress.learning), "spearman") > 0.9);

  Subject multilabel(Task::multilabel, {"zero", "not one"});
  learn_for(multilabel, 60);
  CHECK(figure(evaluated(multilabel.learning), "micro_f1") > 0.98);
}

TEST_CASE("several batches in a step give the same gradients as one") {
  for (const auto task : {Task::classify, Task::regress, Task::multilabel}) {
    const bool classes = task == Task::classify;
    const std::vector<std::string> names =
        classes ? std::vector<std::string>{"a", "b", "c"} : std::vector<std::string>{"a", "b"};
    const std::vector<float> weights = classes ? std::vector<float>{1, 2.5f, 0.5f} : std::vector<float>{};
    Subject whole(task, names, weights), parts(task, names, weights);
    const auto one = whole.learning.learn(step_of(0, 24), {});
    const auto four = parts.learning.learn(step_of(0, 6, 4), {});
    CHECK(one.front().value == doctest::Approx(four.front().value).epsilon(1e-6));
    CHECK(distance(whole.network.gradients().all(), parts.network.gradients().all()) < 1e-5);
  }
}

TEST_CASE("a class weight of 2 equals repeating the examples of that class") {
  Subject weighted(Task::classify, {"a", "b", "c"}, {2, 1, 1}), repeated(Task::classify, {"a", "b", "c"});
  auto step = step_of(0, 9);
  const double loss = weighted.learning.learn(step, {}).front().value;
  auto& batch = step.batches.front();
  for (int32_t i = 0; i < 9; ++i) {
    if (example(i)->as<examples::SentenceExample>().label == 0) batch.add(example(i), batch.sequences.size());
  }
  CHECK(batch.examples.size() == 12);
  CHECK(repeated.learning.learn(step, {}).front().value == doctest::Approx(loss).epsilon(1e-6));
  CHECK(distance(weighted.network.gradients().all(), repeated.network.gradients().all()) < 1e-5);
}
