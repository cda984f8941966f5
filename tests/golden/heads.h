// Expected results of fine-tuning for the cases of tests/golden/training/heads.json, computed in float64 by
// heads_reference.py: losses and the gradient of every parameter after one step.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "training.h"

namespace bert::golden {

struct HeadExample {
  struct Sequence {
    std::vector<int32_t> ids, types;
  };
  std::vector<Sequence> sequences;  // one; for choose one per choice
  // classify, choose: the class or right choice; tag: class or kIgnored per token; answer: first and last
  // token.
  std::vector<int32_t> gold;
  std::vector<float> targets;  // regress: one; multilabel: one per label
};
constexpr int32_t kIgnored = -100;

struct HeadCase {
  std::string name;  // "classify, with class weights"
  std::string task;  // "classify"
  int64_t classes = 0;
  std::vector<float> class_weights;  // empty: all 1
  std::vector<HeadExample> examples;
  bool weighted = false;  // the head reads a weighted sum of all layers
  int64_t first = 0;      // size of the first of two micro-batches

  double loss = 0, norm = 0;  // norm: of all gradients together
  int64_t right = 0;
  std::map<std::string, std::vector<float>> head;       // the head's parameters by name
  std::map<std::string, std::vector<float>> gradients;  // of all parameters, row-major

  bool over_tokens() const { return task == "tag" || task == "answer"; }
};

inline std::vector<float> floats_of(const json::Value& array) {
  std::vector<float> numbers;
  for (const json::Value& number : array.elements()) numbers.push_back(static_cast<float>(number.number()));
  return numbers;
}

inline HeadExample::Sequence head_sequence(const json::Value& json) {
  return {.ids = json.find("input_ids").value().integers(),
          .types = json.find("token_type_ids").value().integers()};
}

inline HeadExample head_example(const json::Value& json) {
  HeadExample example;
  if (const auto choices = json.find("choices")) {
    for (const json::Value& choice : choices->elements()) example.sequences.push_back(head_sequence(choice));
  } else {
    example.sequences.push_back(head_sequence(json));
  }
  for (const char* key : {"label", "start", "end"})
    if (const auto value = json.find(key)) example.gold.push_back(static_cast<int32_t>(value->integer()));
  if (const auto labels = json.find("labels")) example.gold = labels->integers();
  if (const auto target = json.find("target"))
    example.targets.push_back(static_cast<float>(target->number()));
  if (const auto targets = json.find("targets")) example.targets = floats_of(*targets);
  return example;
}

inline HeadCase head_case(const json::Value& json, std::span<const std::byte> numbers) {
  HeadCase one{.name = std::string(json.find("name").value().string()),
               .task = std::string(json.find("task").value().string()),
               .classes = json.find("classes").value().integer(),
               .first = json.find("first").value().integer(),
               .loss = json.find("loss").value().number(),
               .norm = json.find("norm").value().number(),
               .right = json.find("right").value().integer()};
  if (const auto weighted = json.find("weighted")) one.weighted = weighted->boolean();
  if (const auto weights = json.find("class_weights")) one.class_weights = floats_of(*weights);
  for (const json::Value& example : json.find("step").value().elements())
    one.examples.push_back(head_example(example));
  int64_t offset = json.find("offset").value().integer();
  const auto parameters = json.find("parameters").value().elements();
  const auto read = [&](const json::Value& parameter, std::map<std::string, std::vector<float>>& to) {
    int64_t count = 1;
    for (const int32_t length : parameter.find("shape").value().integers()) count *= length;
    to.emplace(parameter.find("name").value().string(), read_numbers(numbers, offset, count));
  };
  for (size_t i = parameters.size() - (one.weighted ? 4 : 2); i < parameters.size(); ++i)
    read(parameters[i], one.head);
  for (const json::Value& parameter : parameters) read(parameter, one.gradients);
  return one;
}

inline std::vector<HeadCase> load_head_cases() {
  const json::File index(training_directory() / "heads.json");
  const MappedFile numbers((training_directory() / "heads.f32").string());
  std::vector<HeadCase> cases;
  for (const json::Value& json : index.find("cases").value().elements())
    cases.push_back(head_case(json, numbers.bytes()));
  return cases;
}

// 20 steps of fine-tuning with AdamW, starting from the head of a case, without dropout.
struct TaskCurve {
  struct Step {
    std::vector<HeadExample> examples;
    double loss = 0, rate = 0, norm = 0;  // norm: of the gradients before clipping
  };
  HeadCase head;
  std::vector<Step> steps;
};

struct TaskCurves {
  CurveOptions options;
  std::vector<TaskCurve> curves;
};

inline TaskCurves load_task_curves() {
  const json::File file(training_directory() / "task_curves.json");
  TaskCurves all = {.options = curve_options(file.find("options").value()), .curves = {}};
  const auto heads = load_head_cases();
  for (const json::Value& json : file.find("curves").value().elements()) {
    auto& curve = all.curves.emplace_back(TaskCurve{
        .head = *std::ranges::find(heads, json.find("case").value().string(), &HeadCase::name), .steps = {}});
    for (const json::Value& step : json.find("steps").value().elements()) {
      auto& made = curve.steps.emplace_back(TaskCurve::Step{.examples = {},
                                                            .loss = step.find("loss").value().number(),
                                                            .rate = step.find("rate").value().number(),
                                                            .norm = step.find("norm").value().number()});
      for (const json::Value& example : step.find("examples").value().elements())
        made.examples.push_back(head_example(example));
    }
  }
  return all;
}

}  // namespace bert::golden
