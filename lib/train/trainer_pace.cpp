#include <chrono>

#include "train/trainer.h"

namespace bert::train {
namespace {

constexpr int64_t kTriedTokens =
    1024;  // of the examples that are tried: enough for the speed of long batches

// Leaves out examples, but keeps at least two, as some losses compare them.
void shorten(examples::Step& step) {
  auto& batch = step.batches.front();
  step.batches.resize(1);
  size_t examples = 0, sequences = 0;
  step.tokens = 0;
  for (; examples < batch.examples.size() && (examples < 2 || step.tokens < kTriedTokens); ++examples) {
    step.tokens += batch.examples[examples]->tokens();
    sequences += batch.examples[examples]->sequences().size();
  }
  batch.examples.resize(examples);
  batch.sequences.resize(sequences);
  step.sequences = std::ssize(batch.examples);
}

}  // namespace

Pace Trainer::pace() {
  examples::Step step;
  if (!parts_.data.next(step)) return {};
  shorten(step);
  auto& learner = parts_.learner;
  Pace pace = {.tokens = step.tokens};
  const auto seconds = [](Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  };
  for (int time = 0; time < 2; ++time) {  // the first time also allocates memory
    const auto begin = Clock::now();
    learner.learn(step, {.seed = plan_.options.seed});
    pace.token_s = seconds(begin) / static_cast<double>(step.tokens);
    const auto learned = Clock::now();
    learner.begin_update();
    optimizer_.step(learner.parameters(), learner.gradients(), 0, 1, learner.context(), [](auto) {});
    learner.end_update();
    pace.step_s = seconds(learned);
  }
  return pace;
}

}  // namespace bert::train
