// Benchmarks whose metrics are selected by name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "metric/squad.h"

namespace bert::metric {

// Tasks that bert-score evaluates: those of bert-predict that have gold labels.
enum class Task { fill, next, classify, regress, multilabel, tag, answer, choose, rank };

std::string_view name_of(Task task);

// The metrics of a task as named in the output; "top_k_accuracy" stands for any k.
std::vector<std::string_view> metrics_of(Task task);
bool has_plot(Task task);

struct Benchmark {
  std::string_view name;  // "glue/stsb": as Hugging Face spells it
  Task task;
  std::vector<std::string> metrics;
  std::vector<std::string_view> positive;  // positive label for F1, by id or by name
  SquadScore::Version version = SquadScore::Version::automatic;
};

// nullptr if there is no benchmark of this name.
const Benchmark* find_benchmark(std::string_view name);
std::string benchmark_names();  // "glue/cola, …"

}  // namespace bert::metric
