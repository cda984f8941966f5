#include <algorithm>

#include "base/error.h"
#include "metric/scorer.h"

namespace bert::metric {
namespace {

struct ComparedTokens : io::Work {
  LabelCounts::Counts replaced;
  int64_t tokens = 0, right = 0;
};

// Which tokens were replaced: 1 or 0 for each.
class ReplacedScorer : public Scorer {
 public:
  using Scorer::Scorer;

  // A character for each token that counts.
  std::string gold(const io::Fields& fields) const override {
    constexpr int32_t kIgnored = -100;  // as in transformers: special tokens
    auto labels = fields.integers(field_);
    std::erase(labels, kIgnored);
    return characters(labels, field_, "0, 1 or -100");
  }

  std::unique_ptr<io::Work> compare(std::string_view gold, const io::Fields& fields) const override {
    const auto predicted = characters(fields.integers(kPrediction), kPrediction, "0 or 1");
    if (predicted.size() != gold.size())
      throw Error("has predictions for ", counted(predicted.size(), "token", "tokens"), ", but ",
                  counted(gold.size(), "gold label", "gold labels"), " other than -100");
    auto compared = std::make_unique<ComparedTokens>();
    compared->tokens = std::ssize(gold);
    for (size_t i = 0; i < gold.size(); ++i) {
      const bool is_gold = gold[i] == '1', is_predicted = predicted[i] == '1';
      compared->right += is_gold == is_predicted;
      compared->replaced.gold += is_gold;
      compared->replaced.predicted += is_predicted;
      compared->replaced.both += is_gold && is_predicted;
    }
    return compared;
  }

  void add(size_t, const io::Work& work) override {
    const auto& compared = static_cast<const ComparedTokens&>(work);
    auto& all = evaluation_.replaced;
    all.gold += compared.replaced.gold;
    all.predicted += compared.replaced.predicted;
    all.both += compared.replaced.both;
    tokens_ += compared.tokens;
    right_ += compared.right;
    ++records_;
  }

  void report(Report& report) override {
    evaluation_.step_accuracy = share(right_, tokens_);
    report.count("records", records_);
    report.count("tokens", tokens_);
    append_metrics(report, evaluation_, task_);
  }

 private:
  static constexpr const char* kPrediction = "prediction";

  static std::string characters(const std::vector<int32_t>& labels, std::string_view field,
                                std::string_view expected) {
    std::string text;
    for (const int32_t label : labels) {
      if (label != 0 && label != 1)
        throw Error("field \"", field, "\" contains ", label, ", expected ", expected);
      text += label == 1 ? '1' : '0';
    }
    return text;
  }

  int64_t records_ = 0, tokens_ = 0, right_ = 0;
};

}  // namespace

std::unique_ptr<Scorer> make_replaced_scorer(const ScoreOptions& options) {
  return std::make_unique<ReplacedScorer>(options);
}

}  // namespace bert::metric
