#include "train/distill.h"

#include <doctest/doctest.h>

#include <memory>

#include "nn/vector_losses.h"
#include "train/small_learning.h"

using namespace bert;
using namespace bert::train;

namespace {

struct Student {
  Pool pool{2};
  model::TrainingNetwork network;
  DistillLearning learning;

  explicit Student(nn::VectorLoss loss, float dropout = 0, bool keeps_projection = true)
      : network(config(dropout), {}, pool),
        learning(network, {.keeps_projection = keeps_projection}, {.loss = loss}) {
    start(network, pool);
  }

  static model::Config config(float dropout) {
    auto config = small_config(dropout);
    config.projection = {.in = config.hidden, .out = 5};
    return config;
  }
};

std::unique_ptr<examples::EmbedExample> taught(int number, bool with_target = true) {
  auto made = std::make_unique<examples::EmbedExample>();
  const int texts = with_target ? 1 + number % 2 : 2;
  for (int i = 0; i < texts; ++i) {
    const std::vector<int32_t> ids = {2, 10 + number % 11, 11 + (number * 3 + i) % 17, 3};
    made->ids.insert(made->ids.end(), ids.begin(), ids.end());
    made->lengths.push_back(ids.size());
  }
  made->types.assign(made->ids.size(), 0);
  for (int i = 0; with_target && i < 5; ++i)
    made->target.push_back(static_cast<float>((number * 7 + i * 3) % 10) / 10);
  return made;
}

examples::Step step_of(int count, int batches) {
  return numbered_step([](int number) { return taught(number); }, 0, count, batches);
}

}  // namespace

TEST_CASE("the loss against a teacher's vectors is the mean over all texts, in any micro-batches") {
  for (const auto& [_, loss] : nn::kVectorLosses) {
    Student student(loss, 0.2f);
    const StepPlace place = {.seed = 5, .step = 3};
    const double whole = figure(student.learning.learn(step_of(12, 1), place), "loss");
    const auto gradients = student.network.gradients().all();
    const std::vector<float> expected(gradients.begin(), gradients.end());
    CHECK(figure(student.learning.learn(step_of(3, 4), place), "loss") == whole);
    const auto parts = student.network.gradients().all();
    double error = 0, norm = 0;
    for (size_t i = 0; i < expected.size(); ++i) {
      error += std::pow(static_cast<double>(parts[i]) - expected[i], 2);
      norm += std::pow(static_cast<double>(expected[i]), 2);
    }
    CHECK(norm > 0);
    CHECK(std::sqrt(error / norm) < 1e-6);
  }
}

TEST_CASE("the loss of a dev set with a teacher's vectors is that of one step") {
  for (const auto& [_, loss] : nn::kVectorLosses) {
    Student student(loss);
    student.learning.begin_evaluation();
    student.learning.evaluate(step_of(20, 1).batches.front().examples);
    const auto dev = student.learning.end_evaluation();
    REQUIRE(dev.size() == 1);
    CHECK(figure(dev, "loss") == figure(student.learning.learn(step_of(20, 1), {}), "loss"));
  }
}

TEST_CASE("a dev set without a teacher's vectors is evaluated as pairs") {
  for (const bool keeps_projection : {true, false}) {
    Student student(nn::VectorLoss::cosine, 0, keeps_projection);
    student.learning.begin_evaluation();
    student.learning.evaluate(
        numbered_step([](int number) { return taught(number, false); }, 0, 12).batches.front().examples);
    CHECK(figure(student.learning.end_evaluation(), "mrr") > 0);
  }
}
