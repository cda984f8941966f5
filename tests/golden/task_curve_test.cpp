#include <doctest/doctest.h>

#include <memory>
#include <set>
#include <span>

#include "examples/answer_example.h"
#include "examples/choose_example.h"
#include "examples/sentence_example.h"
#include "examples/tag_example.h"
#include "head_network.h"
#include "train/answer.h"
#include "train/choose.h"
#include "train/optimizer.h"
#include "train/schedule.h"
#include "train/sentence.h"
#include "train/tag.h"

namespace bert::golden {
namespace {

// Of type_curves.json.
constexpr size_t kTypeBatch = 6, kTypeChoices = 2;
constexpr double kTypeRate = 3e-4;

std::unique_ptr<examples::Example> sentence_example(const HeadExample& from) {
  auto example = std::make_unique<examples::SentenceExample>();
  if (!from.gold.empty()) example->label = from.gold.front();
  if (!from.targets.empty()) example->value = from.targets.front();
  example->targets = from.targets;
  return example;
}

std::unique_ptr<examples::Example> tag_example(const HeadExample& from) {
  auto example = std::make_unique<examples::TagExample>();
  for (size_t i = 0; i < from.gold.size(); ++i) {
    if (from.gold[i] == kIgnored) continue;
    example->places.push_back(static_cast<int32_t>(i));
    example->labels.push_back(from.gold[i]);
  }
  return example;
}

std::unique_ptr<examples::Example> choose_example(const HeadExample& from) {
  auto example = std::make_unique<examples::ChooseExample>();
  for (const auto& sequence : from.sequences) example->lengths.push_back(sequence.ids.size());
  example->label = from.gold.front();
  return example;
}

std::unique_ptr<examples::Example> answer_example(const HeadExample& from) {
  auto example = std::make_unique<examples::AnswerExample>();
  example->start = from.gold.at(0);
  example->end = from.gold.at(1);
  return example;
}

std::unique_ptr<examples::Example> example_of(const std::string& task, const HeadExample& from) {
  auto example = task == "tag"      ? tag_example(from)
                 : task == "choose" ? choose_example(from)
                 : task == "answer" ? answer_example(from)
                                    : sentence_example(from);
  for (const auto& [ids, types] : from.sequences) {
    example->ids.insert(example->ids.end(), ids.begin(), ids.end());
    example->types.insert(example->types.end(), types.begin(), types.end());
  }
  return example;
}

std::unique_ptr<train::Learner> make_learner(const HeadCase& head, model::TrainingNetwork& network,
                                             const examples::Labels& labels) {
  for (const auto task : {task::Task::classify, task::Task::regress, task::Task::multilabel})
    if (head.task == task::name_of(task))
      return train::make_sentence_learner(task, network, labels, {.class_weights = head.class_weights});
  if (head.task == "answer")
    return std::make_unique<train::AnswerLearning>(network, train::AnswerLearning::Options{});
  if (head.task == "choose")
    return std::make_unique<train::ChooseLearning>(network, model::TrainingNetwork::Keep::activations);
  REQUIRE(head.task == "tag");
  return std::make_unique<train::TagLearning>(network, labels, train::TagLearning::Options{});
}

examples::Labels labels_of(const HeadCase& head) {
  std::vector<std::string> names;
  for (int64_t i = 0; i < head.classes; ++i) names.push_back(std::to_string(i));
  return examples::Labels(names);
}

examples::Step cut(const TaskCurve& curve, const TaskCurve::Step& step, size_t micro_batches) {
  examples::Step made;
  uint64_t sequence = 0;
  const size_t each = step.examples.size() / micro_batches;
  for (size_t i = 0; i < step.examples.size(); ++i) {
    if (i % each == 0) made.batches.emplace_back();
    auto& batch = made.batches.back();
    batch.add(example_of(curve.head.task, step.examples[i]), sequence);
    sequence += batch.examples.back()->sequences().size();
    ++made.sequences;
  }
  return made;
}

// Runs the steps of a curve, each split into `micro_batches`, and compares every one.
void check_curve(const CurveOptions& options, const TaskCurve& curve, size_t micro_batches) {
  Pool pool(2);
  auto network = load_head_network(curve.head, pool);
  const auto labels = labels_of(curve.head);
  const auto learner = make_learner(curve.head, network, labels);
  train::Optimizer optimizer(network.parameters().layout(), {.method = train::Method::adamw,
                                                             .beta1 = options.beta1,
                                                             .beta2 = options.beta2,
                                                             .epsilon = options.epsilon,
                                                             .weight_decay = options.weight_decay});
  for (size_t number = 0; number < curve.steps.size(); ++number) {
    INFO(curve.head.name, ", step ", number);
    const auto& want = curve.steps[number];
    const auto figures = learner->learn(cut(curve, want, micro_batches), {});
    const double norm = train::norm_of(train::square_sums(network.gradients(), network.context()));
    optimizer.step(network.parameters(), network.gradients(), want.rate,
                   train::clip_factor(norm, options.clip), network.context());
    learner->refresh();
    CHECK(std::abs(figures.front().value - want.loss) <= 1e-5 * std::max(1.0, want.loss));
    CHECK(std::abs(norm - want.norm) <= 1e-5 * want.norm);
  }
}

// The example of a head in the records of type_curves.json, from `place` on.
std::unique_ptr<examples::Example> type_example(const std::string& task, std::span<const json::Value> records,
                                                size_t place) {
  HeadExample made;
  const size_t sequences = task == "choose" ? kTypeChoices : 1;
  for (size_t i = 0; i < sequences; ++i) {
    auto ids = records[place + i].find("input_ids").value().integers();
    made.sequences.push_back({.ids = ids, .types = std::vector<int32_t>(ids.size())});
  }
  const auto gold = [&](const char* name) {
    return static_cast<int32_t>(records[place].find(name).value().integer());
  };
  if (task == "classify") made.gold = {gold("label")};
  if (task == "tag") made.gold = records[place].find("tags").value().integers();
  if (task == "answer") made.gold = {gold("start"), gold("end")};
  if (task == "choose") made.gold = {gold("choice")};
  return example_of(task, made);
}

void check_type_curve(const std::string& type, const std::string& task, std::span<const json::Value> records,
                      const json::Value& steps) {
  Pool pool(2);
  const auto path = (directory() / "types" / (type + "-" + task)).string();
  const HeadCase head = {.task = task, .classes = 3};
  const auto all = task::tasks_with(&task::Entry::trained);
  const auto known = std::ranges::find(all, task, task::name_of);
  REQUIRE(known != all.end());
  model::TrainingNetwork network(model::load_config(path), {model::head_of(*known)}, pool);
  CHECK(network.load(ckpt::Checkpoint::open(path)).empty());
  network.refresh();
  const auto labels = labels_of(head);
  const auto learner = make_learner(head, network, labels);
  train::Optimizer optimizer(network.parameters().layout(), {});
  size_t number = 0;
  for (const json::Value& wanted : steps.elements()) {
    INFO(type, " ", task, ", step ", number);
    examples::Step step;
    for (size_t i = 0; i < kTypeBatch; i += task == "choose" ? kTypeChoices : 1) {
      if (i % (kTypeBatch / 3) == 0) step.batches.emplace_back();  // micro-batches
      step.batches.back().add(type_example(task, records, number * kTypeBatch + i), i);
      ++step.sequences;
    }
    const auto figures = learner->learn(step, {});
    const double norm = train::norm_of(train::square_sums(network.gradients(), network.context()));
    optimizer.step(network.parameters(), network.gradients(), kTypeRate, 1, network.context());
    learner->refresh();
    const double loss = wanted.find("loss").value().number(),
                 wanted_norm = wanted.find("norm").value().number();
    CHECK(std::abs(figures.front().value - loss) <= 1e-5 * std::max(1.0, loss));
    CHECK(std::abs(norm - wanted_norm) <= 1e-5 * std::max(1.0, wanted_norm));
    ++number;
  }
  CHECK(number == 20);
}

}  // namespace

TEST_CASE("20 steps of the heads of all types match transformers") {
  json::File file{directory() / "type_curves.json"};
  const auto elements = file.find("records").value().elements();
  const std::vector<json::Value> records(elements.begin(), elements.end());
  int curves = 0;
  for (const auto& type : model::model_types()) {
    for (const std::string task : {"classify", "tag", "answer", "choose"}) {
      const auto steps = file.find("curves").value().find(std::string(type.name) + "-" + task);
      if (!steps) continue;  // bert: above
      check_type_curve(std::string(type.name), task, records, *steps);
      ++curves;
    }
  }
  CHECK(curves == 4 * 11 + 2 * 2);  // nomic_bert and gte have two of these heads
}

TEST_CASE("20 steps of every task match PyTorch's losses, for any micro-batches") {
  const auto all = load_task_curves();
  std::set<std::string> tasks;
  for (const auto& curve : all.curves) {
    REQUIRE(curve.steps.size() == 20);
    check_curve(all.options, curve, 1);
    check_curve(all.options, curve, 2);
    tasks.insert(curve.head.task);
  }
  CHECK(tasks == std::set<std::string>{"answer", "choose", "classify", "multilabel", "regress", "tag"});
}

}  // namespace bert::golden
