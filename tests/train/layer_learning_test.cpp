#include "train/layer_learning.h"

#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>

#include "train/optimizer.h"
#include "train/small_learning.h"

using namespace bert;
using namespace bert::train;
using model::TrainingNetwork;

namespace {

const std::string kTeacher =
    std::filesystem::path(__FILE__).parent_path().parent_path() / "golden" / "models" / "masked-lm";

model::Config student(const model::Config& teacher, nn::LayerLoss loss) {
  auto config = small_config();
  config.vocab_size = teacher.vocab_size;
  config.layers = 2;
  config.heads = teacher.heads;
  config.hidden = 10 * teacher.heads;
  if (loss == nn::LayerLoss::tinybert) config.projection = {.in = config.hidden, .out = teacher.hidden};
  return config;
}

struct Subject {
  Pool pool;
  model::Directory directory = model::open_directory(kTeacher);
  TrainingNetwork network;
  LayerLearning learning;

  explicit Subject(nn::LayerLoss loss, int threads = 2)
      : pool(threads),
        network(student(directory.config, loss), {}, pool),
        learning(network, std::make_unique<model::Network>(directory, model::Needs(), pool),
                 {.loss = loss, .heads = directory.config.heads, .teacher_layers = layers(loss)}) {
    start(network, pool);
  }

  std::vector<int64_t> layers(nn::LayerLoss loss) const {
    const int64_t last = directory.config.layers;
    return nn::entry(loss).last_layer ? std::vector{last} : std::vector{last, last};
  }
  static std::unique_ptr<examples::Example> example(int32_t number) {
    auto made = std::make_unique<examples::Example>();
    for (int32_t i = 0; i < 3 + number % 9; ++i)
      made->ids.push_back(100 + (number * 7 + i * (number % 3 + 2)) % 90);
    made->types.assign(made->ids.size(), 0);
    return made;
  }
  static examples::Step step_of(int32_t first, int32_t count, int32_t batches = 1) {
    return numbered_step(example, first, count, batches);
  }
  std::vector<float> gradients() {
    const auto all = network.gradients().all();
    return {all.begin(), all.end()};
  }
};

constexpr nn::LayerLoss kLosses[] = {nn::LayerLoss::minilm, nn::LayerLoss::minilm_v1,
                                     nn::LayerLoss::tinybert};

}  // namespace

TEST_CASE("the loss and the gradients of layers do not depend on how a step is divided into batches") {
  for (const auto loss : kLosses) {
    INFO(nn::entry(loss).name);
    Subject subject(loss);
    const double once = figure(subject.learning.learn(Subject::step_of(0, 6), {}), "loss");
    const auto whole = subject.gradients();
    CHECK(figure(subject.learning.learn(Subject::step_of(0, 2, 3), {}), "loss") == once);
    const auto parts = subject.gradients();
    double difference = 0, norm = 0;
    for (size_t i = 0; i < whole.size(); ++i) {
      difference += std::pow(double{whole[i]} - parts[i], 2);
      norm += std::pow(double{whole[i]}, 2);
    }
    CHECK(norm > 0);
    CHECK(std::sqrt(difference / norm) < 1e-5);
  }
}

TEST_CASE("the bits of the gradients of layers do not depend on threads") {
  for (const auto loss : kLosses) {
    Subject one(loss, 1), three(loss, 3);
    for (auto* subject : {&one, &three}) subject->learning.learn(Subject::step_of(0, 9), {.seed = 4});
    CHECK(one.gradients() == three.gradients());
  }
}

TEST_CASE("layers become like those of the teacher, on texts that are not trained, too") {
  for (const auto loss : kLosses) {
    INFO(nn::entry(loss).name);
    Subject subject(loss);
    const auto dev = std::move(Subject::step_of(500, 40).batches.front().examples);
    const auto evaluated = [&] {
      subject.learning.begin_evaluation();
      subject.learning.evaluate(dev);
      return figure(subject.learning.end_evaluation(), "loss");
    };
    const double before = evaluated();
    CHECK(before == doctest::Approx(figure(subject.learning.learn(Subject::step_of(500, 40), {}), "loss")));
    Optimizer optimizer(subject.network.parameters().layout(), {});
    for (int32_t step = 0; step < 100; ++step) {
      subject.learning.learn(Subject::step_of(step * 16 % 400, 16),
                             {.seed = 1, .step = static_cast<uint64_t>(step)});
      optimizer.step(subject.learning.parameters(), subject.learning.gradients(), 3e-3, 1,
                     subject.learning.context());
      subject.learning.refresh();
    }
    CHECK(evaluated() < 0.6 * before);
  }
}
