#include "metric/benchmark.h"

#include <algorithm>

namespace bert::metric {
namespace {

// Metrics of GLUE (Wang et al. 2018, table 1), SQuAD, SWAG and CoNLL-2003 as in their official scorers. Test
// sets without published labels use the same metrics.
const std::vector<Benchmark>& benchmarks() {
  using enum task::Task;
  static const std::vector<Benchmark> all = {
      {"glue/cola", classify, {"matthews"}, {}},
      {"glue/sst2", classify, {"accuracy"}, {}},
      {"glue/mrpc", classify, {"accuracy", "f1"}, {"1", "equivalent"}},
      {"glue/qqp", classify, {"accuracy", "f1"}, {"1", "duplicate"}},
      {"glue/stsb", regress, {"pearson", "spearman"}, {}},
      {"glue/mnli", classify, {"accuracy"}, {}},
      {"glue/mnli_matched", classify, {"accuracy"}, {}},
      {"glue/mnli_mismatched", classify, {"accuracy"}, {}},
      {"glue/qnli", classify, {"accuracy"}, {}},
      {"glue/rte", classify, {"accuracy"}, {}},
      {"glue/wnli", classify, {"accuracy"}, {}},
      {"glue/ax", classify, {"matthews"}, {}},
      {"squad", answer, {}, {}, SquadScore::Version::v1},
      {"squad_v2", answer, {}, {}, SquadScore::Version::v2},
      {"swag", choose, {"accuracy"}, {}},
      {"conll2003", tag, {}, {}},
  };
  return all;
}

}  // namespace

const Benchmark* find_benchmark(std::string_view name) {
  const auto found = std::find_if(benchmarks().begin(), benchmarks().end(),
                                  [name](const Benchmark& benchmark) { return benchmark.name == name; });
  return found == benchmarks().end() ? nullptr : &*found;
}

std::vector<std::string> benchmark_names() {
  std::vector<std::string> names;
  for (const Benchmark& benchmark : benchmarks()) names.emplace_back(benchmark.name);
  return names;
}

}  // namespace bert::metric
