// Exact match and F1 of answers, as the official evaluation scripts of SQuAD 1.1 and 2.0 compute them in
// Python.
//
// Answers are compared in a normal form: lower case, without ASCII punctuation and the words a, an and the,
// words with one space between:   "The Cat's-eye, a  ring!" -> "catseye ring".
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "metric/value.h"

namespace bert::metric {

std::string normalized_answer(std::string_view answer);

// One question's score by either script, before the factor 100. They differ where the normal form of an
// answer is empty: 1.1 gives no F1 for it, 2.0 takes it for "no answer".
struct AnswerScore {
  double exact = 0, f1 = 0;
};
struct AnswerScores {
  AnswerScore v1, v2;
  bool has_answer = false;             // the question has one
  bool gives_answer = false;           // so does the prediction
  std::optional<double> null_score;    // how much better "no answer" scored than the best answer
  std::optional<uint32_t> null_order;  // place among equal null scores; without it that of adding
};
AnswerScores score_answer(std::span<const std::string_view> gold, std::string_view predicted);

// The figures of a whole set, in percent. Sums are taken in the order of places, as the scripts go through
// their data file; so places may be filled in any order. Keeps 48 bytes a question.
class SquadScore {
 public:
  enum class Version { automatic, v1, v2 };  // automatic: 2.0 when a question has no answer

  explicit SquadScore(Version version = Version::automatic) : version_(version) {}

  // `place` from 0; places may be left out and each is filled once.
  void add(size_t place, const AnswerScores& scores);
  void add(const AnswerScores& scores) { add(questions_.size(), scores); }
  // A question without a prediction counts as wrong, whatever the threshold.
  void add_missing(size_t place, bool has_answer);

  // Takes predictions whose null score is above it for "no answer" (--na-prob-thresh of the script).
  void set_no_answer_threshold(double threshold) { threshold_ = threshold; }

  int64_t count() const { return count_; }
  Version version() const;  // never automatic

  // exact_match and f1; for 2.0 also has_answer_*, no_answer_*, and with null scores best_*: the highest
  // figures that any threshold reaches, and that threshold.
  Values values() const;

 private:
  enum Flag : uint8_t { kHere = 1, kHasAnswer = 2, kGivesAnswer = 4, kHasNullScore = 8 };
  struct Question {
    double f1_v1, f1_v2, null_score;
    uint32_t order;  // among equal null scores
    uint8_t flags, exact_v1, exact_v2;
  };
  struct Sums {
    double exact = 0, f1 = 0;
    int64_t count = 0;
  };

  AnswerScore score(const Question& question) const;
  Sums sums(uint8_t mask, uint8_t flags) const;
  void append_best(Values& values) const;

  Version version_;
  std::optional<double> threshold_;
  std::vector<Question> questions_;
  int64_t count_ = 0, unanswerable_ = 0, null_scores_ = 0;
  int64_t missing_ = 0, missing_unanswerable_ = 0;
};

}  // namespace bert::metric
