#include "metric/score_plot.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>

namespace bert::metric {
namespace {

bool contains(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

Classification score_of(std::initializer_list<std::pair<std::string_view, std::string_view>> pairs) {
  Classification score;
  for (const auto& [gold, predicted] : pairs) score.add(gold, predicted);
  return score;
}

TEST_CASE("a confusion matrix has a row for each gold label, with counts and shares of the row") {
  const auto score = score_of({{"a", "a"}, {"a", "a"}, {"a", "b"}, {"b", "b"}});
  const auto script = confusion_script(score, std::vector<std::string>{"b", "a"}, {});
  CHECK(
      contains(script, "$cells << EOD\n0 0 1\n1 0 0\n0 1 0.3333333333333333\n1 1 0.6666666666666666\nEOD\n"));
  CHECK(contains(script, "$texts << EOD\n0 0 1 100 16777215\n1 0 0 0 0\n0 1 1 33 0\n1 1 2 67 0\nEOD\n"));
  CHECK(contains(script, "set ytics ('b' 0, 'a' 1)"));
  CHECK(contains(script, "4 records, accuracy 0.750"));
  CHECK(!contains(script, "Reliability"));
}

TEST_CASE("labels are quoted, have no control characters, and lose their middle if they are long") {
  const std::vector<std::string> labels = {"it's\n'", "0123456789abcdefghijklmnopqrstuvwxyz", "\xe6\x97\xa5"};
  const auto script =
      confusion_script(score_of({{labels[0], labels[1]}, {labels[2], labels[0]}}), labels, {});
  CHECK(contains(script, "('it''s ''' 0, '0123456789abcdef…klmnopqrstuvwxyz' 1, '\xe6\x97\xa5' 2)"));
  const std::vector<std::string> percent = {"50%", "%d"};
  CHECK(contains(confusion_script(score_of({{percent[0], percent[1]}}), percent, {}), "('50%%' 0, '%%d' 1)"));
}

TEST_CASE("of more than 100 labels the rarest share a row and a column") {
  Classification score;
  std::vector<std::string> labels;
  for (int i = 0; i < 150; ++i) {
    labels.push_back("label" + std::to_string(i));
    for (int n = 0; n < (i % 3 == 0 ? 1 : 2); ++n) score.add(labels.back(), labels.back());
  }
  const auto script = confusion_script(score, labels, {});
  CHECK(contains(script, "('label1' 0, 'label2' 1, 'label4' 2"));
  CHECK(contains(script, "'(other labels)' 99)"));
  CHECK(contains(script,
                 "\n99 99 52 100 16777215\n"));  // 50 labels of one record, and one of 2
}

TEST_CASE("a reliability diagram has a bar for each bin with predictions") {
  Calibration calibration;
  calibration.add(0.75, true);
  calibration.add(0.75, false);
  calibration.add(0.95, true);
  const auto script = confusion_script(score_of({{"a", "a"}}), std::vector<std::string>{"a"}, calibration);
  CHECK(contains(script, "$bins << EOD\n0.75 0.5 2\n0.95 1 1\nEOD\n"));
  CHECK(contains(script, "'Reliability diagram, ECE 0.183'"));
}

TEST_CASE("a scatter plot draws at most 5000 points") {
  Correlation few, many;
  for (const auto& [gold, predicted] : {std::pair(1.0, 2.0), {3.0, -0.5}, {2.0, 2.5}})
    few.add(gold, predicted);
  auto script = scatter_script(few);
  CHECK(contains(script, "$points << EOD\n1 2\n3 -0.5\n2 2.5\nEOD\n"));
  CHECK(contains(script, "3 records, Pearson -0.778, Spearman -0.500"));
  for (int i = 0; i < 12'000; ++i) many.add(1, 1);
  script = scatter_script(many);
  CHECK(contains(script, "12000 records (1 of 3 drawn), Pearson undefined, Spearman undefined"));
  CHECK(std::count(script.begin(), script.end(), '\n') < 4100);
}

}  // namespace
}  // namespace bert::metric
