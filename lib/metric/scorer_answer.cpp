#include "base/error.h"
#include "base/option.h"
#include "base/string_table.h"
#include "metric/scorer.h"
#include "metric/squad.h"

namespace bert::metric {
namespace {

struct ComparedAnswer : io::Work {
  explicit ComparedAnswer(const AnswerScores& its_scores) : scores(its_scores) {}
  AnswerScores scores;
  bool is_missing = false;
};

class AnswerScorer : public Scorer {
 public:
  explicit AnswerScorer(const ScoreOptions& options)
      : Scorer(options), thresholded_(options.no_answer_threshold.has_value()) {
    score_ = SquadScore(options.version);
    if (options.no_answer_threshold) score_.set_no_answer_threshold(*options.no_answer_threshold);
  }

  // Reads Hugging Face's {"text": […], …}; an empty array means no answer.
  std::string gold(const io::Fields& fields) const override {
    const auto answers = fields.required(field_);
    const auto texts = io::named(field_, [&] { return answers.member("text"); });
    std::string packed;
    io::named(field_ + ".text", [&] {
      for (const auto text : texts.strings()) pack(packed, text);
    });
    return packed;
  }

  std::unique_ptr<io::Work> compare(std::string_view gold, const io::Fields& fields) const override {
    auto scores = score_answer(unpack(gold), fields.required_text("prediction"));
    const auto null_score = fields.json("null_score");
    if (null_score || fields.text("null_score")) scores.null_score = fields.number("null_score");
    if (!scores.null_score) require_null_scores();
    return std::make_unique<ComparedAnswer>(scores);
  }

  std::unique_ptr<io::Work> compare_text(std::string_view gold, std::string_view predicted) const override {
    require_null_scores();
    return std::make_unique<ComparedAnswer>(score_answer(unpack(gold), predicted));
  }

  void add(size_t place, io::Work& work) override {
    auto& compared = static_cast<ComparedAnswer&>(work);
    auto& scores = compared.scores;
    if (compared.is_missing) return score_.add_missing(place, scores.has_answer);
    if (!null_scores_.empty()) {
      scores.null_score = null_scores_[place].score;
      scores.null_order = null_scores_[place].order;
    }
    score_.add(place, scores);
  }

  std::unique_ptr<io::Work> missing(std::string_view gold) const override {
    auto compared = std::make_unique<ComparedAnswer>(AnswerScores{.has_answer = !gold.empty()});
    compared->is_missing = true;
    return compared;
  }

  ScoreOptions settled() const override {
    auto options = options_;
    options.version = score_.version();
    return options;
  }

  void read_null_scores(const json::File& file, const GoldTable& gold) override {
    constexpr uint32_t kNone = -1;
    null_scores_.assign(gold.size(), {0, kNone});
    uint32_t order = 0;
    for (const auto& [id, value] : file.root().members()) {
      const auto place = gold.find(id);
      if (!place) continue;
      if (null_scores_[*place].order != kNone) throw Error(file.path(), ": id \"", id, "\" appears twice");
      if (value.kind() != json::Value::Kind::number)
        throw Error(file.path(), ": \"", id, "\" is ", value.kind_name(), ", expected a number");
      null_scores_[*place] = {value.number(), order++};
    }
    for (size_t i = 0; i < gold.size(); ++i) {
      if (null_scores_[i].order == kNone) throw Error(file.path(), ": ", gold.name(i), " is missing");
    }
  }

  void append_counts(Report& report) const override { report.count("records", score_.count()); }

 private:
  struct NullScore {
    double score;
    uint32_t order;  // position in its file
  };

  void require_null_scores() const {
    if (thresholded_ && null_scores_.empty())
      throw Error("has no null score, which ", opt::no_answer_threshold, " needs");
  }

  bool thresholded_;
  SquadScore& score_ = evaluation_.answers;
  std::vector<NullScore> null_scores_;  // by place; empty: use those of the records
};

}  // namespace

std::unique_ptr<Scorer> make_answer_scorer(const ScoreOptions& options) {
  return std::make_unique<AnswerScorer>(options);
}

}  // namespace bert::metric
