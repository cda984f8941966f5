// The benchmarks whose metrics are known by name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "metric/squad.h"

namespace bert::metric {

// What bert-score scores: the tasks of bert-predict whose answers have a truth.
enum class Task { fill, next, classify, regress, multilabel, tag, answer, choose, rank };

std::string_view name_of(Task task);

// The metrics that a task has, as the output names them; "top_k_accuracy" stands for any k.
std::vector<std::string_view> metrics_of(Task task);

struct Benchmark {
  std::string_view name;  // "glue/stsb": as Hugging Face spells it
  Task task;
  std::vector<std::string> metrics;
  std::vector<std::string_view> positive;  // label of F1, by its id or by its name
  SquadScore::Version version = SquadScore::Version::automatic;
};

// nullptr: there is none of this name.
const Benchmark* find_benchmark(std::string_view name);
std::string benchmark_names();  // "glue/cola, …"

}  // namespace bert::metric
