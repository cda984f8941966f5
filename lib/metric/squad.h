// Exact match and F1 of answers, as computed by the official Python evaluation scripts of SQuAD 1.1 and 2.0.
//
// Answers are normalized before comparison: lowercased, without ASCII punctuation and the words a, an and
// the, with single spaces between words: "The Cat's-eye, a  ring!" -> "catseye ring".
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "metric/report.h"

namespace bert::metric {

std::string normalized_answer(std::string_view answer);

// Scores of one question in both scripts, from 0 to 1. They differ if the normalized answer is empty: 1.1
// gives it F1 0, 2.0 treats it as "no answer".
struct AnswerScore {
  double exact = 0, f1 = 0;
};
struct AnswerScores {
  AnswerScore v1, v2;
  bool has_answer = false;             // the question has a gold answer
  bool gives_answer = false;           // the prediction is an answer
  std::optional<double> null_score;    // score of "no answer" minus score of the best answer
  std::optional<uint32_t> null_order;  // order among equal null scores; default: order of adding
};
AnswerScores score_answer(std::span<const std::string_view> gold, std::string_view predicted);

// Metrics of a data set, in percent. Sums are computed in the order of places (in the scripts: of the data
// file), so places may be added in any order. Stores 48 bytes per question.
class SquadScore {
 public:
  enum class Version { automatic, v1, v2 };  // automatic: 2.0 if any question has no answer

  explicit SquadScore(Version version = Version::automatic) : version_(version) {}

  // `place` from 0. Places may be skipped; each is added at most once.
  void add(size_t place, const AnswerScores& scores);
  void add(const AnswerScores& scores) { add(questions_.size(), scores); }
  // A question without a prediction counts as wrong with any threshold.
  void add_missing(size_t place, bool has_answer);

  // Predictions with a null score above the threshold count as "no answer" (--na-prob-thresh of the script).
  void set_no_answer_threshold(double threshold) { threshold_ = threshold; }

  int64_t count() const { return count_; }
  Version version() const;  // never returns automatic

  enum class Questions { all, with_answer, without_answer };
  // Mean scores; nullopt if there are no such questions. 1.1 distinguishes none.
  std::optional<AnswerScore> mean(Questions which) const;

  struct Best {
    double score = 0, threshold = 0;
  };
  // The best mean over all thresholds of the null score, and this threshold, for 2.0 with null scores.
  std::optional<Best> best(double AnswerScore::*score) const;

 private:
  enum Flag : uint8_t { kHere = 1, kHasAnswer = 2, kGivesAnswer = 4, kHasNullScore = 8 };
  struct Question {
    double f1_v1, f1_v2, null_score;
    uint32_t order;  // tie-breaker for equal null scores
    uint8_t flags, exact_v1, exact_v2;
  };
  AnswerScore score(const Question& question) const;

  Version version_;
  std::optional<double> threshold_;
  std::vector<Question> questions_;
  int64_t count_ = 0, unanswerable_ = 0, null_scores_ = 0;
  int64_t missing_ = 0, missing_unanswerable_ = 0;
};

}  // namespace bert::metric
