// Benchmarks whose metrics are selected by name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "metric/squad.h"
#include "task/task.h"

namespace bert::metric {

struct Benchmark {
  std::string_view name;  // "glue/stsb": as Hugging Face spells it
  task::Task task;
  std::vector<std::string> metrics;
  std::vector<std::string_view> positive;  // positive label for F1, by id or by name
  SquadScore::Version version = SquadScore::Version::automatic;
};

// nullptr if there is no benchmark of this name.
const Benchmark* find_benchmark(std::string_view name);
std::vector<std::string> benchmark_names();

}  // namespace bert::metric
