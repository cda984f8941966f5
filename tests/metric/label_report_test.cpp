#include "metric/label_report.h"

#include <doctest/doctest.h>

namespace bert::metric {
namespace {

using task::Task;

Report empty_report() { return {{}, 4, {}}; }

// The row with this label as JSON values, separated by spaces.
std::string row_of(const std::vector<Report>& rows, std::string_view label) {
  for (const auto& row : rows) {
    const auto& fields = row.fields();
    if (fields.value(0) != "\"" + std::string(label) + "\"") continue;
    std::string text;
    for (size_t i = 1; i < fields.size(); ++i) text += (i > 1 ? " " : "") + std::string(fields.value(i));
    return text;
  }
  return "none";
}

// Values by sklearn.metrics.classification_report(..., zero_division=0) of scikit-learn 1.9.
TEST_CASE("a report of single labels ends with the accuracy and two means") {
  Evaluation evaluation;
  for (const auto& [gold, predicted] :
       {std::pair("a", "a"), {"a", "a"}, {"a", "b"}, {"b", "b"}, {"c", "a"}, {"c", "d"}})
    evaluation.labels.add(gold, predicted);
  const auto rows = label_report(evaluation, Task::classify, empty_report());
  CHECK(rows.size() == 7);
  CHECK(row_of(rows, "a") == "0.6667 0.6667 0.6667 3");
  CHECK(row_of(rows, "c") == "0 0 0 2");
  CHECK(row_of(rows, "d") == "0 0 0 0");
  CHECK(row_of(rows, "accuracy") == "0.5 6");
  CHECK(row_of(rows, "macro avg") == "0.2917 0.4167 0.3333 6");
  CHECK(row_of(rows, "weighted avg") == "0.4167 0.5 0.4444 6");
  CHECK(undefined_notes(evaluation, Task::classify) ==
        std::vector<std::string>{"precision is written as 0 for labels that are never predicted: \"c\"",
                                 "recall is written as 0 for labels that are never gold labels: \"d\""});
}

TEST_CASE("a report of sets of labels has the mean over records") {
  using Labels = std::vector<std::string_view>;
  Evaluation evaluation;
  evaluation.label_sets.add(Labels{"x", "y"}, Labels{"x"});
  evaluation.label_sets.add(Labels{"y"}, Labels{"y", "x"});
  evaluation.label_sets.add(Labels{}, Labels{});
  const auto rows = label_report(evaluation, Task::multilabel, empty_report());
  CHECK(row_of(rows, "micro avg") == "0.6667 0.6667 0.6667 3");
  CHECK(row_of(rows, "samples avg") == "0.5 0.5 0.4444 3");
  CHECK(row_of(rows, "accuracy") == "none");
}

TEST_CASE("the confusion matrix has a row and a column for each label, sorted") {
  Classification score;
  score.add("10", "9", 3);
  score.add("9", "9");
  const auto rows = confusion_rows(score, empty_report());
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].fields().name(0) == "gold");
  CHECK(rows[0].fields().name(1) == "9");
  CHECK(row_of(rows, "9") == "1 0");
  CHECK(row_of(rows, "10") == "3 0");
}

}  // namespace
}  // namespace bert::metric
