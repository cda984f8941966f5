#include "metric/metrics.h"

#include <doctest/doctest.h>

#include <set>

#include "metric/benchmark.h"

namespace bert::metric {
namespace {

using task::Task;
using Names = std::vector<std::string>;

Names names_of(const Values& values) {
  Names names;
  for (const auto& value : values) names.emplace_back(value.name);
  return names;
}

TEST_CASE("each scored task has metrics, each trained task begins with its loss") {
  for (const auto task : task::tasks_with(&task::Entry::scored)) CHECK(!metrics_of(task, kScore).empty());
  for (const auto task : task::tasks_with(&task::Entry::trained)) {
    for (const auto use : {kStep, kDev}) CHECK(metric_names(task, use).front() == kLoss);
  }
}

TEST_CASE("a name occurs once in a use of a task and always has the same direction and unit") {
  for (const auto task : task::tasks_with(&task::Entry::trained)) {
    for (const auto use : {kStep, kDev, kScore}) {
      std::set<std::string_view> names;
      for (const auto* metric : metrics_of(task, use)) {
        CHECK_MESSAGE(names.insert(metric->name).second, metric->name);
        CHECK((metric->value == nullptr) != (metric->table == nullptr));
        CHECK((use == kScore || metric->table == nullptr));
        const auto* first = find_metric(metric->name, task);
        CHECK(first->better == metric->better);
        CHECK(first->unit == metric->unit);
      }
    }
  }
  CHECK(find_metric("accuracy", Task::rank) == nullptr);
}

TEST_CASE("benchmarks name metrics of their task") {
  for (const auto& name : benchmark_names()) {
    const auto* benchmark = find_benchmark(name);
    for (const auto& metric : benchmark->metrics) CHECK(find_metric(metric, benchmark->task) != nullptr);
  }
}

TEST_CASE("metrics that need more than the predictions are left out") {
  Evaluation evaluation;
  for (const auto* gold : {"a", "b", "a"}) evaluation.labels.add(gold, "a");
  CHECK(names_of(dev_values(evaluation, Task::classify)) ==
        Names{"loss", "accuracy", "macro_f1", "matthews"});
  evaluation.positive = "a";
  CHECK(names_of(dev_values(evaluation, Task::classify)) ==
        Names{"loss", "accuracy", "f1", "macro_f1", "matthews"});
  evaluation.plain_tags = true;
  CHECK(names_of(dev_values(evaluation, Task::tag)) == Names{"loss", "accuracy"});
  CHECK(names_of(step_values(evaluation, Task::pretrain)) == Names{"loss"});
  evaluation.nsp_loss = 0.5, evaluation.nsp_accuracy = 0.75;
  CHECK(names_of(step_values(evaluation, Task::pretrain)) == Names{"loss", "nsp_loss", "nsp_accuracy"});
}

TEST_CASE("a dev set has no metrics that are undefined") {
  Evaluation evaluation;
  for (const double gold : {1.0, 2.0}) evaluation.numbers.add(gold, 3);
  CHECK(names_of(dev_values(evaluation, Task::regress)) == Names{"loss"});
  evaluation.numbers.add(3, 4);
  CHECK(names_of(dev_values(evaluation, Task::regress)) == Names{"loss", "pearson", "spearman"});
}

TEST_CASE("the positive label follows the first metrics of it") {
  Evaluation evaluation;
  for (const auto* gold : {"a", "b", "a", "b"}) evaluation.labels.add(gold, "a");
  evaluation.positive = "b";
  const auto report_of = [&](const Names& wanted) {
    Report report(wanted, -1, {});
    append_metrics(report, evaluation, Task::classify);
    std::string fields;
    for (size_t i = 0; i < report.fields().size(); ++i)
      fields += (i > 0 ? " " : "") + std::string(report.fields().name(i)) + "=" +
                std::string(report.fields().value(i));
    return fields;
  };
  CHECK(report_of({"f1", "matthews", "recall"}) == "f1=0 positive=\"b\" matthews=0 recall=0");
  CHECK(report_of({"matthews", "precision", "recall"}) == "matthews=0 precision=0 recall=0 positive=\"b\"");
  CHECK(report_of({"accuracy"}) == "accuracy=0.5");
}

}  // namespace
}  // namespace bert::metric
