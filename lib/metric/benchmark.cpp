#include "metric/benchmark.h"

#include <algorithm>

namespace bert::metric {
namespace {

// Metrics of GLUE (Wang et al. 2018, table 1), SQuAD, SWAG and CoNLL-2003 as in their official scorers. Test
// sets without published labels use the same metrics.
const std::vector<Benchmark>& benchmarks() {
  using enum Task;
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

std::string_view name_of(Task task) {
  constexpr std::string_view kNames[] = {"fill", "next",   "classify", "regress", "multilabel",
                                         "tag",  "answer", "choose",   "rank"};
  return kNames[static_cast<size_t>(task)];
}

std::vector<std::string_view> metrics_of(Task task) {
  switch (task) {
    case Task::fill:
      return {"accuracy", "top_k_accuracy"};
    case Task::next:
    case Task::choose:
      return {"accuracy", "ece"};
    case Task::classify:
      return {"accuracy", "f1", "macro_f1", "matthews", "ece"};
    case Task::regress:
      return {"pearson", "spearman"};
    case Task::multilabel:
      return {"micro_f1", "macro_f1", "accuracy"};
    case Task::tag:
      return {"precision", "recall", "f1", "accuracy", "types"};
    case Task::rank:
      return {"mrr"};
    case Task::answer:
      break;
  }
  return {"exact_match",
          "f1",
          "has_answer_exact_match",
          "has_answer_f1",
          "no_answer_exact_match",
          "no_answer_f1",
          "best_exact_match",
          "best_exact_match_threshold",
          "best_f1",
          "best_f1_threshold"};
}

bool has_plot(Task task) {
  return task == Task::next || task == Task::classify || task == Task::choose || task == Task::regress;
}

const Benchmark* find_benchmark(std::string_view name) {
  const auto found = std::find_if(benchmarks().begin(), benchmarks().end(),
                                  [name](const Benchmark& benchmark) { return benchmark.name == name; });
  return found == benchmarks().end() ? nullptr : &*found;
}

std::string benchmark_names() {
  std::string names;
  for (const Benchmark& benchmark : benchmarks()) {
    if (!names.empty()) names += ", ";
    names += benchmark.name;
  }
  return names;
}

}  // namespace bert::metric
