#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/string_table.h"
#include "json/json.h"
#include "metric/label_scores.h"
#include "metric/scorer.h"

namespace bert::metric {
namespace {

struct ComparedSets : io::Work {
  std::string gold, predicted;  // packed
  RecordScores scores;
};

class MultilabelScorer : public Scorer {
 public:
  explicit MultilabelScorer(const ScoreOptions& options) : Scorer(options) {
    if (options.settled) scored_.settle(options.settled->labels);
  }

  ScoreOptions settled() const override {
    auto options = options_;
    options.settled = {.positive = {}, .labels = scored_.names()};
    return options;
  }

  std::string gold(const io::Fields& fields) const override { return packed(fields.labels(field_)); }

  std::unique_ptr<io::Work> compare(std::string_view gold, const io::Fields& fields) const override {
    auto compared = std::make_unique<ComparedSets>();
    compared->gold = gold;
    compared->predicted = packed(fields.labels("prediction"));
    if (options_.scores != ScoresUse::ignored) compared->scores = scored_.read(fields);
    return compared;
  }

  void add(size_t, io::Work& work) override {
    auto& compared = static_cast<ComparedSets&>(work);
    scored_.settle(compared.scores);
    add_scores(compared);
    evaluation_.label_sets.add(unpack(compared.gold), unpack(compared.predicted));
  }

  std::optional<bool> is_right(const io::Work& work) const override {
    const auto& compared = static_cast<const ComparedSets&>(work);
    const auto gold = unpack(compared.gold), predicted = unpack(compared.predicted);
    return std::set(gold.begin(), gold.end()) == std::set(predicted.begin(), predicted.end());
  }

  // The mean over all labels of the negative logarithm of the probability of what is right.
  std::optional<Miss> miss(const io::Work& work) const override {
    const auto& compared = static_cast<const ComparedSets&>(work);
    if (is_right(work).value()) return std::nullopt;
    auto gold = unpack(compared.gold);
    std::ranges::sort(gold);
    const auto& scores = compared.scores.values;
    const bool is_complete =
        std::ranges::all_of(gold, [&](auto label) { return scored_.find(label).has_value(); });
    if (scores.empty() || !is_complete || !std::ranges::all_of(scores, is_probability))
      throw Error(
          "has no probabilities of all labels in the field \"scores\", from which its loss is computed");
    double loss = 0;
    for (size_t i = 0; i < scores.size(); ++i) {
      const bool is_gold = std::ranges::binary_search(gold, std::string_view(scored_.names()[i]));
      loss += log_loss_of(is_gold ? scores[i] : 1 - scores[i]);
    }
    Miss miss = {.loss = loss / scores.size(), .gold = {}};
    json::append_array(miss.gold, gold, json::append_string);
    return miss;
  }

  void append_counts(Report& report) const override {
    report.count("records", evaluation_.label_sets.count());
  }

  std::vector<std::string> remarks() const override {
    const auto& sets = evaluation_.label_sets;
    auto remarks = spelling_notes(sets.labels());
    for (const auto& note : {missing_note, list_note})
      if (auto remark = note(sets.labels()); !remark.empty()) remarks.push_back(std::move(remark));
    if (const auto scored = evaluation_.scores.count(); scored > 0 && scored < sets.count())
      remarks.push_back("no roc_auc or average_precision" + advice(""));
    if (sets.count() >= 2 && sets.disjoint()) remarks.emplace_back(kNeverPredicted);
    return remarks;
  }

  std::string advice(std::string_view) const override {
    const auto count = evaluation_.label_sets.count();
    return ": " + scores_missing(count - evaluation_.scores.count(), count);
  }

 private:
  void settle() override {
    const auto& scores = evaluation_.scores;
    if (scores.count() == evaluation_.label_sets.count())
      evaluation_.areas = areas_of(scores, scored_.names(), scored_);
  }

  // Adds the scores of a record that has one for each label, gold ones included.
  void add_scores(const ComparedSets& compared) {
    if (options_.scores != ScoresUse::kept || !are_scores(compared.scores.values)) return;
    std::vector<uint32_t> gold;
    for (const auto label : unpack(compared.gold)) {
      const auto i = scored_.find(label);
      if (!i) return;
      gold.push_back(*i);
    }
    evaluation_.scores.add(compared.scores.values, gold);
  }

  static std::string packed(const std::vector<std::string>& labels) {
    std::string bytes;
    for (const auto& label : labels) pack(bytes, label);
    return bytes;
  }

  ScoredLabels scored_;
};

}  // namespace

std::unique_ptr<Scorer> make_multilabel_scorer(const ScoreOptions& options) {
  return std::make_unique<MultilabelScorer>(options);
}

}  // namespace bert::metric
