#include "metric/squad.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "base/random.h"
#include "metric/metrics.h"
#include "reference/slow_metrics.h"

namespace bert::metric {
namespace {

using Answers = std::vector<std::string_view>;

std::optional<double> find(const SquadScore& score, const std::string& name) {
  Evaluation evaluation;
  evaluation.answers = score;
  return find_metric(name, task::Task::answer)->value(evaluation);
}

double value(const SquadScore& score, const std::string& name) {
  const auto found = find(score, name);
  REQUIRE_MESSAGE(found, name);
  return *found;
}

TEST_CASE("answers are normalized") {
  CHECK(normalized_answer("The Cat's-eye, a  ring!") == "catseye ring");
  CHECK(normalized_answer("Theatre an hour a") == "theatre hour");
  CHECK(normalized_answer("the") == "");
  CHECK(normalized_answer(" \t.") == "");
  CHECK(normalized_answer("x\u2014the\u2014y") == "x\u2014 \u2014y");
  CHECK(normalized_answer("\u2014the y") == "\u2014 y");
  CHECK(normalized_answer("the\u0301 cat") == "\u0301 cat");  // a combining mark is not a word character
  CHECK(normalized_answer("a_b a.b") == "ab ab");
  CHECK(normalized_answer("\u00A0ΟΔΟΣ\u3000İ\x1c"
                          "x") == "οδος i\u0307 x");
}

TEST_CASE("the 1.1 and 2.0 scripts differ if normalization leaves an answer empty") {
  const auto same = score_answer(Answers{"the"}, "a");
  CHECK(same.v1.exact == 1);
  CHECK(same.v1.f1 == 0);
  CHECK(same.v2.exact == 1);
  CHECK(same.v2.f1 == 1);
  const auto other = score_answer(Answers{"the", "cat"}, "a");
  CHECK(other.v1.exact == 1);
  CHECK(other.v2.exact == 0);
}

TEST_CASE("the best of several gold answers counts, separately for each metric") {
  const auto scores = score_answer(Answers{"cats and dogs", "cats"}, "dogs and cats");
  CHECK(scores.v1.exact == 0);
  CHECK(scores.v1.f1 == 1);
  CHECK(score_answer(Answers{"big red cat"}, "red").v1.f1 == doctest::Approx(0.5));
  CHECK(score_answer(Answers{"la la la"}, "la la").v1.f1 == doctest::Approx(0.8));
}

TEST_CASE("SQuAD 1.1 and 2.0 scores match values computed by hand") {
  SquadScore score;
  score.add(score_answer(Answers{"red cat"}, "cat"));
  score.add(1, score_answer(Answers{"dog"}, "The dog"));
  CHECK(score.version() == SquadScore::Version::v1);
  CHECK(value(score, "exact_match") == 50);
  CHECK(value(score, "f1") == doctest::Approx(100 * (2.0 / 3 + 1) / 2));
  CHECK(!find(score, "has_answer_f1"));
  score.add(score_answer({}, ""));
  score.add(score_answer({}, "fish"));
  score.add_missing(4, true);
  CHECK(score.version() == SquadScore::Version::v2);
  CHECK(score.count() == 5);
  CHECK(value(score, "exact_match") == 40);
  CHECK(value(score, "has_answer_exact_match") == doctest::Approx(100.0 / 3));
  CHECK(value(score, "no_answer_exact_match") == 50);
  CHECK(value(score, "no_answer_f1") == 50);
  CHECK(!find(score, "best_f1"));
}

TEST_CASE("the best threshold and the scores it gives") {
  const auto question = [](const Answers& gold, std::string_view predicted, double null_score) {
    auto scores = score_answer(gold, predicted);
    scores.null_score = null_score;
    return scores;
  };
  SquadScore score;
  score.add(question({"cat"}, "cat", -2));
  score.add(question({}, "dog", -1));
  score.add(question({"red fish"}, "fish", 0));
  score.add(question({}, "bird", 3));
  CHECK(value(score, "exact_match") == 25);
  CHECK(value(score, "best_exact_match") == 75);
  CHECK(value(score, "best_exact_match_threshold") == -2);
  CHECK(value(score, "best_f1") == 75);
  CHECK(value(score, "best_f1_threshold") == -2);
  score.set_no_answer_threshold(-2);
  CHECK(value(score, "exact_match") == 75);
  SquadScore lacking = score;
  lacking.add_missing(4, true);
  lacking.add_missing(5, false);
  CHECK(value(lacking, "exact_match") == 50);
  CHECK(value(lacking, "best_exact_match") == 50);
  CHECK(value(score, "f1") == 75);
  CHECK(value(score, "best_f1") == 75);
}

TEST_CASE("ties between thresholds go to the first; equal null scores keep their input order") {
  const auto question = [](bool has_answer, double exact, double null_score) {
    AnswerScores scores;
    scores.has_answer = has_answer;
    scores.gives_answer = true;
    scores.v2 = {.exact = exact, .f1 = exact};
    scores.null_score = null_score;
    return scores;
  };
  SquadScore score(SquadScore::Version::v2);
  for (const auto& one : {question(true, 1, 1), question(false, 0, 2), question(true, 1, 3)}) score.add(one);
  CHECK(value(score, "best_f1_threshold") == 1);  // 2 of 3 are right here, and again at 3
  SquadScore equal(SquadScore::Version::v2);
  for (const auto& one : {question(true, 1, 5), question(false, 0, 5)}) equal.add(one);
  CHECK(value(equal, "best_f1") == 100);  // at a threshold between the two
  SquadScore turned(SquadScore::Version::v2);
  for (const auto& one : {question(false, 0, 5), question(true, 1, 5)}) turned.add(one);
  CHECK(value(turned, "best_f1") == 50);
}

TEST_CASE("the best threshold matches an exhaustive search if all null scores differ") {
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    Random random(seed, {6});
    SquadScore score;
    std::vector<double> thresholds = {-1000};
    for (uint32_t i = 1 + random.below(12); i > 0; --i) {
      AnswerScores scores;
      scores.has_answer = random.below(2) == 0;
      scores.gives_answer = true;
      if (scores.has_answer) scores.v2 = {.exact = double(random.below(2)), .f1 = random.below(9) / 8.0};
      scores.null_score = random.below(1000) - 500.0 + i / 64.0;
      thresholds.push_back(*scores.null_score);
      score.add(scores);
    }
    SquadScore every(score);
    double best_exact = 0, best_f1 = 0;
    CAPTURE(seed);
    if (score.version() != SquadScore::Version::v2) continue;
    for (const double threshold : thresholds) {
      every.set_no_answer_threshold(threshold);
      best_exact = std::max(best_exact, value(every, "exact_match"));
      best_f1 = std::max(best_f1, value(every, "f1"));
    }
    CHECK(value(score, "best_exact_match") == doctest::Approx(best_exact).epsilon(1e-12));
    CHECK(value(score, "best_f1") == doctest::Approx(best_f1).epsilon(1e-12));
    every.set_no_answer_threshold(value(score, "best_f1_threshold"));
    CHECK(value(every, "f1") == doctest::Approx(best_f1).epsilon(1e-12));
  }
}

// Answers built from parts that affect every step of normalization.
std::string random_answer(Random& random) {
  constexpr std::string_view kSubwords[] = {
      "a",      "an",     "the",    "The", "A",      "cat",    "x",      "É",          "Σ",  "ΑΣ",
      "İ",      "\u0301", "\u2014", "-",   "'",      "_",      ".",      " ",          "  ", "\u00A0",
      "\u2003", "\x1c",   "\t",     "7",   "\u00BD", "\u4E2D", "\u200B", "\U0001F600", "n",  "he"};
  std::string answer;
  for (uint32_t i = random.below(9); i > 0; --i) answer += kSubwords[random.below(std::size(kSubwords))];
  return answer;
}

TEST_CASE("answer scores match the slow reference") {
  for (uint64_t seed = 0; seed < 20000; ++seed) {
    Random random(seed, {7});
    const std::string gold = random_answer(random);
    const std::string predicted =
        random.below(3) == 0 ? gold + " " + random_answer(random) : random_answer(random);
    const auto truth = reference::slow_answer_words(gold), guess = reference::slow_answer_words(predicted);
    CAPTURE(seed);
    CAPTURE(gold);
    CAPTURE(predicted);
    const auto scores = score_answer(Answers{gold}, predicted);
    CHECK(scores.v1.exact == (truth == guess));
    CHECK(scores.v1.f1 == doctest::Approx(reference::slow_answer_f1(truth, guess)).epsilon(1e-12));
    CHECK(scores.v2.exact == (truth == guess));
    CHECK(scores.v2.f1 == doctest::Approx(truth.empty() || guess.empty()
                                              ? truth == guess
                                              : reference::slow_answer_f1(truth, guess))
                              .epsilon(1e-12));
  }
}

}  // namespace
}  // namespace bert::metric
