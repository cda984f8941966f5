#include "train/choose.h"

#include <doctest/doctest.h>

#include "train/optimizer.h"
#include "train/small_learning.h"

using namespace bert;
using namespace bert::train;
using model::TrainingNetwork;

namespace {

struct Subject {
  Pool pool{2};
  TrainingNetwork network;
  ChooseLearning learning;

  explicit Subject(float dropout = 0)
      : network(small_config(dropout), {model::head_of(task::Task::choose)}, pool),
        learning(network, TrainingNetwork::Keep::activations) {
    start(network, pool);
  }
};

// One to four choices; only the right one contains token 5.
std::unique_ptr<examples::Example> example(int number) {
  auto made = std::make_unique<examples::ChooseExample>();
  const int choices = 1 + number * 5 % 4;
  made->label = number * 7 % choices;
  for (int i = 0; i < choices; ++i) {
    std::vector<int32_t> ids = {2, 10 + number % 11, 3, 11 + (number + i) % 7, 3};
    ids.insert(ids.begin() + 1 + number % 3, i == made->label ? 5 : 6);
    made->ids.insert(made->ids.end(), ids.begin(), ids.end());
    made->lengths.push_back(ids.size());
  }
  made->types.assign(made->ids.size(), 0);
  return made;
}

examples::Step step_of(int first, int count, int batches = 1) {
  return numbered_step(example, first, count, batches);
}

metric::Values evaluated(ChooseLearning& learning) {
  learning.begin_evaluation();
  learning.evaluate(step_of(1000, 30).batches.front().examples);
  learning.evaluate(step_of(1030, 31).batches.front().examples);
  return learning.end_evaluation();
}

double distance(const nn::Params& a, const nn::Params& b) {
  const auto x = a.all(), y = b.all();
  double difference = 0, norm = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    difference += (double{x[i]} - y[i]) * (double{x[i]} - y[i]);
    norm += double{x[i]} * x[i];
  }
  return difference / norm;
}

}  // namespace

TEST_CASE("the right choice is learned, among one or several") {
  Subject subject;
  const auto before = evaluated(subject.learning);
  CHECK(before[1].name == "accuracy");
  CHECK(before[1].value < 0.8);
  Optimizer optimizer(subject.network.parameters().layout(), {});
  for (int step = 0; step < 60; ++step) {
    subject.learning.learn(step_of(step * 8, 8), {.seed = 1, .step = static_cast<uint64_t>(step)});
    optimizer.step(subject.network.parameters(), subject.network.gradients(), 5e-3, 1,
                   subject.network.context());
    subject.learning.refresh();
  }
  const auto after = evaluated(subject.learning);
  CHECK(after[0].value < 0.1);
  CHECK(after[1].value > 0.98);
}

TEST_CASE("several batches in a step give the same gradients as one, also with dropout") {
  for (const float dropout : {0.0f, 0.3f}) {
    Subject whole(dropout), parts(dropout);
    const StepPlace place = {.seed = 4, .step = 2};
    const auto one = whole.learning.learn(step_of(0, 12), place);
    const auto four = parts.learning.learn(step_of(0, 3, 4), place);
    CHECK(one[0].value == doctest::Approx(four[0].value).epsilon(1e-6));
    CHECK(one[1].value == four[1].value);
    CHECK(distance(whole.network.gradients(), parts.network.gradients()) < 1e-10);
  }
}
