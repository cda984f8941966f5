#include <algorithm>
#include <array>

#include "base/error.h"
#include "metric/score_plot.h"
#include "metric/scorer.h"

namespace bert::metric {
namespace {

struct ComparedTokens : io::Work {
  std::array<std::array<int64_t, 2>, 2> tokens = {};  // [gold, predicted]
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
    for (size_t i = 0; i < gold.size(); ++i) ++compared->tokens[gold[i] - '0'][predicted[i] - '0'];
    return compared;
  }

  void add(size_t, io::Work& work) override {
    const auto& compared = static_cast<const ComparedTokens&>(work);
    constexpr std::array<std::string_view, 2> kNames = {"0", "1"};
    for (const size_t gold : {0, 1})
      for (const size_t predicted : {0, 1})
        if (const int64_t times = compared.tokens[gold][predicted]; times > 0)
          evaluation_.labels.add(kNames[gold], kNames[predicted], times);
    ++records_;
  }

  void append_counts(Report& report) const override {
    report.count("records", records_);
    report.count("tokens", evaluation_.labels.count());
  }

  std::string plot() const override {
    return confusion_script(evaluation_.labels, sorted_labels(evaluation_.labels), {}, "token");
  }

 private:
  void settle() override {
    evaluation_.replaced = evaluation_.labels.counts("1");
    evaluation_.step_accuracy = evaluation_.labels.accuracy();
  }

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

  int64_t records_ = 0;
};

}  // namespace

std::unique_ptr<Scorer> make_replaced_scorer(const ScoreOptions& options) {
  return std::make_unique<ReplacedScorer>(options);
}

}  // namespace bert::metric
