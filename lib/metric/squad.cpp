#include "metric/squad.h"

#include <algorithm>
#include <cassert>

#include "text/python_text.h"
#include "text/utf8.h"

namespace bert::metric {
namespace {

// Python's string.punctuation.
bool is_punctuation(char c) {
  return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
}

bool is_article(std::string_view word) { return word == "a" || word == "an" || word == "the"; }

// The script replaces each match of \b(a|an|the)\b by a space. So an article is delimited by any non-word
// character, not only by white space: "x—the—y" becomes "x— —y".
class Normalizer {
 public:
  std::string normalize(std::string_view answer) {
    const std::string lower = text::python_lower(answer);
    std::string bare;
    bare.reserve(lower.size());
    std::copy_if(lower.begin(), lower.end(), std::back_inserter(bare),
                 [](char c) { return !is_punctuation(c); });
    for (size_t at = 0; at < bare.size();) {
      const text::CodePoint code = text::decode(bare.data() + at);
      if (text::is_python_word(code.value)) {
        if (!in_run_) run_ = out_.size() + (gap_ ? 1 : 0);
        in_run_ = true;
        put(bare.substr(at, code.size));
      } else {
        end_run();
        if (text::is_python_space(code.value)) {
          gap_ = !out_.empty();
        } else {
          put(bare.substr(at, code.size));
        }
      }
      at += code.size;
    }
    end_run();
    return std::move(out_);
  }

 private:
  void put(std::string_view bytes) {
    if (gap_) out_ += ' ';
    gap_ = false;
    out_ += bytes;
  }

  // Removes the current run of word characters if it is an article.
  void end_run() {
    if (in_run_ && is_article(std::string_view(out_).substr(run_))) {
      out_.resize(run_);
      if (out_.ends_with(' ')) out_.pop_back();
      gap_ = !out_.empty();
    }
    in_run_ = false;
  }

  std::string out_;
  size_t run_ = 0;  // start in out_ of the current run of word characters
  bool in_run_ = false;
  bool gap_ = false;  // write a space before the next character
};

std::vector<std::string_view> sorted_tokens(std::string_view normalized) {
  std::vector<std::string_view> tokens;
  while (!normalized.empty()) {
    const size_t space = normalized.find(' ');
    tokens.push_back(normalized.substr(0, space));
    normalized.remove_prefix(space == normalized.npos ? normalized.size() : space + 1);
  }
  std::sort(tokens.begin(), tokens.end());
  return tokens;
}

// The size of the intersection of two sorted multisets.
int64_t common(const std::vector<std::string_view>& a, const std::vector<std::string_view>& b) {
  int64_t count = 0;
  for (auto i = a.begin(), k = b.begin(); i != a.end() && k != b.end();) {
    if (*i < *k) {
      ++i;
    } else if (*k < *i) {
      ++k;
    } else {
      ++count, ++i, ++k;
    }
  }
  return count;
}

// 0 if no token is shared, also for two empty answers.
double token_f1(std::string_view gold, std::string_view predicted) {
  const auto gold_tokens = sorted_tokens(gold), predicted_tokens = sorted_tokens(predicted);
  const int64_t same = common(gold_tokens, predicted_tokens);
  if (same == 0) return 0;
  const double precision = static_cast<double>(same) / predicted_tokens.size();
  const double recall = static_cast<double>(same) / gold_tokens.size();
  return (2 * precision * recall) / (precision + recall);
}

void raise(AnswerScore& score, double exact, double f1) {
  score.exact = std::max(score.exact, exact);
  score.f1 = std::max(score.f1, f1);
}

}  // namespace

std::string normalized_answer(std::string_view answer) { return Normalizer().normalize(answer); }

AnswerScores score_answer(std::span<const std::string_view> gold, std::string_view predicted) {
  AnswerScores scores;
  scores.has_answer = !gold.empty();
  scores.gives_answer = !predicted.empty();
  const std::string normalized = normalized_answer(predicted);
  bool any = false;  // whether any gold answer is non-empty after normalization
  for (const auto answer : gold) {
    const std::string normalized_gold = normalized_answer(answer);
    const double exact = normalized_gold == normalized ? 1 : 0, f1 = token_f1(normalized_gold, normalized);
    raise(scores.v1, exact, f1);
    if (normalized_gold.empty()) continue;
    any = true;
    raise(scores.v2, exact, f1);
  }
  // If no gold answer is left, the empty answer is correct.
  if (!any && normalized.empty()) scores.v2 = {.exact = 1, .f1 = 1};
  return scores;
}

void SquadScore::add(size_t place, const AnswerScores& scores) {
  if (place >= questions_.size()) questions_.resize(place + 1);
  Question& question = questions_[place];
  assert((question.flags & kHere) == 0);
  question = {.f1_v1 = scores.v1.f1,
              .f1_v2 = scores.v2.f1,
              .null_score = scores.null_score.value_or(0),
              .order = scores.null_order.value_or(count_),
              .flags = static_cast<uint8_t>(kHere | (scores.has_answer ? kHasAnswer : 0) |
                                            (scores.gives_answer ? kGivesAnswer : 0) |
                                            (scores.null_score ? kHasNullScore : 0)),
              .exact_v1 = scores.v1.exact > 0,
              .exact_v2 = scores.v2.exact > 0};
  ++count_;
  unanswerable_ += !scores.has_answer;
  null_scores_ += scores.null_score.has_value();
}

void SquadScore::add_missing(size_t place, bool has_answer) {
  add(place, {.has_answer = has_answer});
  ++missing_;
  missing_unanswerable_ += !has_answer;
}

SquadScore::Version SquadScore::version() const {
  if (version_ != Version::automatic) return version_;
  return unanswerable_ > 0 ? Version::v2 : Version::v1;
}

AnswerScore SquadScore::score(const Question& question) const {
  const bool refuses =
      threshold_ && (question.flags & kHasNullScore) != 0 && question.null_score > *threshold_;
  if (version() == Version::v1) return {.exact = double(question.exact_v1), .f1 = question.f1_v1};
  if (!refuses) return {.exact = double(question.exact_v2), .f1 = question.f1_v2};
  const double right = (question.flags & kHasAnswer) == 0 ? 1 : 0;
  return {.exact = right, .f1 = right};
}

std::optional<AnswerScore> SquadScore::mean(Questions which) const {
  if (which != Questions::all && version() == Version::v1) return {};
  AnswerScore sum;
  int64_t count = 0;
  for (const Question& question : questions_) {
    const bool has_answer = (question.flags & kHasAnswer) != 0;
    if ((question.flags & kHere) == 0 ||
        which == (has_answer ? Questions::without_answer : Questions::with_answer))
      continue;
    const AnswerScore one = score(question);
    sum.exact += one.exact;
    sum.f1 += one.f1;
    ++count;
  }
  if (count == 0) return {};
  const auto n = count;
  return AnswerScore{.exact = 100.0 * sum.exact / n, .f1 = 100.0 * sum.f1 / n};
}

// Starts with "no answer" for all questions, then switches to the predicted answers in ascending order of
// null score. Like the script, checks the total after every question, even between equal null scores, which
// are in prediction order. If "no answer" for all is best, the threshold is 0 as in the script, whose scores
// are probabilities, or 1 below the lowest score if that is not positive.
std::optional<SquadScore::Best> SquadScore::best(double AnswerScore::*score) const {
  if (version() == Version::v1 || null_scores_ == 0 || null_scores_ + missing_ != count_) return {};
  std::vector<const Question*> sorted;
  for (const Question& question : questions_) {
    if ((question.flags & kHasNullScore) != 0) sorted.push_back(&question);
  }
  std::sort(sorted.begin(), sorted.end(), [](const Question* a, const Question* b) {
    return a->null_score != b->null_score ? a->null_score < b->null_score : a->order < b->order;
  });
  const double lowest = sorted.front()->null_score;
  double now = static_cast<double>(unanswerable_ - missing_unanswerable_);
  Best best = {.score = now, .threshold = lowest > 0 ? 0 : lowest - 1};
  for (const Question* question : sorted) {
    const AnswerScore gain = {.exact = double(question->exact_v2), .f1 = question->f1_v2};
    if ((question->flags & kHasAnswer) != 0)
      now += gain.*score;
    else if ((question->flags & kGivesAnswer) != 0)
      now -= 1;
    if (now > best.score) best = {.score = now, .threshold = question->null_score};
  }
  best.score = 100.0 * best.score / count_;
  return best;
}

}  // namespace bert::metric
