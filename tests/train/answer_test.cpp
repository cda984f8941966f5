#include "train/answer.h"

#include <doctest/doctest.h>

#include <map>
#include <string>

#include "examples/read_examples.h"
#include "features/letters.h"
#include "task/task.h"
#include "train/optimizer.h"
#include "train/small_learning.h"

using namespace bert;
using namespace bert::train;
using model::TrainingNetwork;

namespace {

constexpr features::AnswerRule kRule = {.max_length = 16, .stride = 5, .max_question_length = 1};

struct Subject {
  Pool pool{2};
  TrainingNetwork network;
  AnswerLearning learning;

  explicit Subject(const AnswerLearning::Options& options = {})
      : network(small_config(), {model::head_of(task::Task::answer)}, pool), learning(network, options) {
    start(network, pool);
  }
};

// Contexts of letters; the answer is x and the letter after it. Every `none`-th context has no answer.
examples::Examples examples_of(int first, int count, examples::AnswerReader::For use, int none = 0) {
  static const auto tokenizer = features::letters();
  std::string records;
  for (int i = first; i < first + count; ++i) {
    std::string context;
    const int length = 6 + i * 7 % 19, place = i * 5 % (length - 1);
    const bool has = none == 0 || i % none != 0;
    for (int k = 0; k < length; ++k) {
      context += k > 0 ? " " : "";
      context += has && k == place ? 'x' : static_cast<char>('a' + (i * 3 + k * 11) % 20);
    }
    const auto start = std::to_string(2 * place);
    const auto text = context.substr(static_cast<size_t>(2 * place), 3);
    records += R"({"question":"q","context":")" + context + R"(","answers":)" +
               (has ? R"({"text":[")" + text + R"("],"answer_start":[)" + start + "]}"
                    : R"({"text":[],"answer_start":[]})") +
               "}\n";
  }
  examples::AnswerReader reader(tokenizer, kRule, use);
  return examples::read_examples(reader, "a.jsonl", records);
}

examples::Step step_of(int first, int count, size_t batches = 1, int none = 0) {
  auto examples = examples_of(first, count, examples::AnswerReader::For::learning, none);
  examples::Step step = {.batches = std::vector<examples::Batch>(batches), .sequences = 0};
  for (auto& example : examples) {
    const auto batch = static_cast<size_t>(step.sequences++) * batches / examples.size();
    step.batches[batch].add(std::move(example), static_cast<uint64_t>(step.sequences) - 1);
  }
  return step;
}

std::map<std::string, double> named(const metric::Values& figures) {
  std::map<std::string, double> values;
  for (const auto& figure : figures) values.emplace(figure.name, figure.value);
  return values;
}

// Evaluates the dev set in parts of `each` windows.
std::map<std::string, double> evaluated(AnswerLearning& learning, size_t each = 1000, int none = 0) {
  auto examples = examples_of(900, 40, examples::AnswerReader::For::evaluation, none);
  learning.begin_evaluation();
  examples::Examples part;
  for (auto& example : examples) {
    part.push_back(std::move(example));
    if (part.size() < each) continue;
    learning.evaluate(part);
    part.clear();
  }
  learning.evaluate(part);
  return named(learning.end_evaluation());
}

void learn_for(Subject& subject, int steps, int none = 0) {
  Optimizer optimizer(subject.network.parameters().layout(), {});
  for (int step = 0; step < steps; ++step) {
    subject.learning.learn(step_of(step * 8, 8, 1, none), {.seed = 1, .step = static_cast<uint64_t>(step)});
    optimizer.step(subject.network.parameters(), subject.network.gradients(), 5e-3, 1,
                   subject.network.context());
    subject.learning.refresh();
  }
}

}  // namespace

TEST_CASE("answers are learned from windows and found across all windows of a dev record") {
  Subject subject;
  const auto before = evaluated(subject.learning);
  CHECK(before.at("exact_match") < 30);
  learn_for(subject, 150);
  const auto after = evaluated(subject.learning);
  CHECK(after.at("loss") < 0.3 * before.at("loss"));
  CHECK(after.at("exact_match") > 90);
  CHECK(after.at("f1") > 90);
  CHECK(after.size() == 3);
}

TEST_CASE("metrics do not depend on how the dev set is split into parts") {
  Subject subject;
  learn_for(subject, 20);
  const auto whole = evaluated(subject.learning, 1000, 3);
  for (const size_t each : {1, 2, 7}) {
    auto parts = evaluated(subject.learning, each, 3);
    CHECK(parts.at("loss") == doctest::Approx(whole.at("loss")).epsilon(1e-9));
    parts["loss"] = whole.at("loss");
    CHECK(parts == whole);
  }
}

TEST_CASE("unanswerable questions add metrics for both kinds, and the threshold is applied") {
  Subject always, never({.answer = {.no_answer_threshold = -1e6}}),
      learned({.answer = {.no_answer_threshold = 0}});
  const auto all = evaluated(always.learning, 1000, 3), none = evaluated(never.learning, 1000, 3);
  CHECK(all.at("no_answer_exact_match") == 0);
  CHECK(none.at("no_answer_exact_match") == 100);
  CHECK(none.at("has_answer_f1") == 0);
  CHECK(none.at("exact_match") == doctest::Approx(100.0 * 14 / 40));
  learn_for(learned, 150, 3);
  const auto after = evaluated(learned.learning, 1000, 3);
  CHECK(after.at("no_answer_exact_match") > 70);
  CHECK(after.at("has_answer_exact_match") > 70);
  CHECK(after.at("best_f1") >= after.at("f1"));
  for (const auto& name : metric::metric_names(task::Task::answer, metric::kDev)) CHECK(after.contains(name));
}

TEST_CASE("several batches in a step give the same gradients as one") {
  Subject whole, parts;
  const auto one = whole.learning.learn(step_of(0, 12), {});
  const auto four = parts.learning.learn(step_of(0, 12, 4), {});
  CHECK(one.front().value == doctest::Approx(four.front().value).epsilon(1e-6));
  const auto a = whole.network.gradients().all(), b = parts.network.gradients().all();
  double difference = 0, norm = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    difference += (double{a[i]} - b[i]) * (double{a[i]} - b[i]);
    norm += double{a[i]} * a[i];
  }
  CHECK(difference < 1e-10 * norm);
}
