#include "metric/classification.h"

#include <doctest/doctest.h>

#include "base/random.h"
#include "reference/slow_metrics.h"

namespace bert::metric {
namespace {

using Labels = std::vector<std::string_view>;

TEST_CASE("classification metrics match values computed by hand") {
  Classification score;
  // gold 1 1 1 0 0 0, predicted 1 1 0 0 1 0: recall and precision of label 1 are both two of three.
  for (const auto& [gold, predicted] :
       {std::pair("1", "1"), {"1", "1"}, {"1", "0"}, {"0", "0"}, {"0", "1"}, {"0", "0"}})
    score.add(gold, predicted);
  CHECK(score.count() == 6);
  CHECK(score.accuracy() == doctest::Approx(4.0 / 6));
  CHECK(score.f1("1") == doctest::Approx(2.0 / 3));
  CHECK(score.f1("2") == 0);
  CHECK(score.macro_f1() == doctest::Approx(2.0 / 3));
  CHECK(score.matthews() == doctest::Approx(1.0 / 3));
  CHECK(score.labels() == std::vector<std::string>{"1", "0"});
  CHECK(!score.disjoint());
}

TEST_CASE("constant predictions have a Matthews correlation of 0") {
  Classification score;
  for (const auto gold : {"a", "b", "a"}) score.add(gold, "a");
  CHECK(score.matthews() == 0);
}

TEST_CASE("gold and predicted labels with nothing in common are detected") {
  Classification score;
  score.add("0", "negative");
  score.add("1", "negative");
  CHECK(score.disjoint());
}

TEST_CASE("the highest label is the largest number, or the last in byte order") {
  CHECK(highest_label(std::vector<std::string>{"9", "10", "-3"}) == "10");
  CHECK(highest_label(std::vector<std::string>{"9", "10", "x"}) == "x");
  CHECK(highest_label(std::vector<std::string>{"9", "10", "3x"}) == "9");
  CHECK(highest_label({}).empty());
}

TEST_CASE("labels that mean a missing value are named") {
  using Names = std::vector<std::string>;
  CHECK(missing_note(Names{"a", "none", "na", "N", "unknown"}).empty());
  CHECK(missing_note(Names{"a", "NaN"}) ==
        "label \"NaN\" is a class: if records with it have no label, leave them out");
  CHECK(missing_note(Names{"N/A", "None", "null", "x"}) ==
        "labels \"N/A\", \"None\" and \"null\" are classes: if records with them have no label, leave them "
        "out");
}

TEST_CASE("several numbers beside several names are two kinds of labels") {
  using Names = std::vector<std::string>;
  CHECK(kinds_note(Names{"0", "1", "unknown"}).empty());
  CHECK(kinds_note(Names{"1 star", "2 stars", "0"}).empty());
  CHECK(kinds_note(Names{"0", "1", "nan", "null"}).empty());
  CHECK(kinds_note(Names{"0", "1", "neg", "pos"}) ==
        "some labels are numbers, such as \"0\", and some are names, such as \"neg\": do different records "
        "name the "
        "same classes differently?");
  CHECK(kinds_note(Names{"0", "0.0"}) ==
        "labels \"0\" and \"0.0\" are the same number; they are different classes");
}

TEST_CASE("multilabel metrics match values computed by hand") {
  Multilabel score;
  score.add(Labels{"x", "y", "x"}, Labels{"x"});
  score.add(Labels{}, Labels{});
  score.add(Labels{"z"}, Labels{"y", "z"});
  // x: one correct of one predicted and one gold, y: 0 of 1 and 1, z: 1 of 1 and 1.
  CHECK(score.count() == 3);
  CHECK(score.accuracy() == doctest::Approx(1.0 / 3));
  CHECK(score.micro_f1() == doctest::Approx(4.0 / 6));
  CHECK(score.macro_f1() == doctest::Approx(2.0 / 3));
}

TEST_CASE("classification metrics match the slow reference") {
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    Random random(seed, {1});
    const uint32_t classes = 1 + random.below(5), size = 1 + random.below(30);
    reference::Strings gold, predicted;
    Classification score;
    for (uint32_t i = 0; i < size; ++i) {
      gold.push_back(std::to_string(random.below(classes)));
      predicted.push_back(random.below(2) == 0 ? gold.back() : std::to_string(random.below(classes)));
      score.add(gold.back(), predicted.back());
    }
    CAPTURE(seed);
    for (uint32_t label = 0; label < classes; ++label)
      CHECK(score.f1(std::to_string(label)) ==
            doctest::Approx(reference::slow_f1(gold, predicted, std::to_string(label))).epsilon(1e-12));
    CHECK(score.macro_f1() == doctest::Approx(reference::slow_macro_f1(gold, predicted)).epsilon(1e-12));
    CHECK(score.matthews() == doctest::Approx(reference::slow_matthews(gold, predicted)).epsilon(1e-12));
  }
}

TEST_CASE("label sets match one yes-no question per label") {
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    Random random(seed, {2});
    const uint32_t classes = 1 + random.below(5), size = 1 + random.below(20);
    Multilabel score;
    // Each question separately, and all of them pooled.
    std::vector<reference::Strings> gold(classes), predicted(classes);
    reference::Strings all_gold, all_predicted;
    std::vector<bool> came(classes);
    for (uint32_t i = 0; i < size; ++i) {
      reference::Strings truth, guess;
      for (uint32_t label = 0; label < classes; ++label) {
        const bool is = random.below(3) == 0, said = random.below(2) == 0 ? is : random.below(3) == 0;
        if (is) truth.push_back(std::to_string(label));
        if (said) guess.push_back(std::to_string(label));
        came[label] = came[label] || is || said;
        gold[label].push_back(is ? "yes" : "no");
        predicted[label].push_back(said ? "yes" : "no");
        all_gold.push_back(gold[label].back());
        all_predicted.push_back(predicted[label].back());
      }
      score.add(Labels(truth.begin(), truth.end()), Labels(guess.begin(), guess.end()));
    }
    double sum = 0, labels = 0;
    for (uint32_t label = 0; label < classes; ++label) {
      if (!came[label]) continue;
      sum += reference::slow_f1(gold[label], predicted[label], "yes");
      ++labels;
    }
    CAPTURE(seed);
    CHECK(score.macro_f1() == doctest::Approx(labels == 0 ? 0 : sum / labels).epsilon(1e-12));
    CHECK(score.micro_f1() ==
          doctest::Approx(reference::slow_f1(all_gold, all_predicted, "yes")).epsilon(1e-12));
  }
}

}  // namespace
}  // namespace bert::metric
