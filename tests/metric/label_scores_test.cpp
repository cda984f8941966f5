#include "metric/label_scores.h"

#include <doctest/doctest.h>

namespace bert::metric {
namespace {

TEST_CASE("scores are brought into the order of the first record") {
  ScoredLabels labels;
  RecordScores first = {.labels = {"b", "a"}, .values = {0.75, 0.25}};
  labels.settle(first);
  CHECK(labels.names() == std::vector<std::string>{"b", "a"});
  CHECK(first.values == std::vector<double>{0.75, 0.25});
  RecordScores second = {.labels = {"a", "b"}, .values = {0.5, 0.125}};
  labels.settle(second);
  CHECK(second.values == std::vector<double>{0.125, 0.5});
  CHECK(are_scores(second.values));
  RecordScores lacking = {.labels = {"a", "c"}, .values = {0.5, 0.5}};
  labels.settle(lacking);
  CHECK(!are_scores(lacking.values));
}

// As sklearn.metrics.top_k_accuracy_score, whose labels are sorted.
TEST_CASE("of equal scores, that of the last label is best") {
  ScoredLabels labels;
  labels.settle(std::vector<std::string>{"c", "a", "b"});
  const std::vector<double> scores = {0.25, 0.25, 0.5};
  CHECK(labels.place_of(*labels.find("b"), scores) == 0);
  CHECK(labels.place_of(*labels.find("c"), scores) == 1);
  CHECK(labels.place_of(*labels.find("a"), scores) == 2);
}

TEST_CASE("examples of a label are those of all records") {
  LabelScores scores;
  scores.add(std::vector{0.25, 0.75}, std::vector<uint32_t>{1});
  scores.add(std::vector{0.5, 0.5}, std::vector<uint32_t>{0, 1});
  const auto examples = scores.examples(0);
  REQUIRE(examples.size() == 2);
  CHECK(examples[0].score == 0.25);
  CHECK(!examples[0].positive);
  CHECK(examples[1].positive);
  CHECK(LabelScores().examples(0).empty());
}

}  // namespace
}  // namespace bert::metric
