#include <algorithm>

#include "base/error.h"
#include "io/conll.h"
#include "metric/entities.h"
#include "metric/scorer.h"
#include "metric/string_table.h"

namespace bert::metric {
namespace {

struct ComparedTags : io::Work {
  EntityScore score;
  int64_t sentences = 0;
};

class TagScorer : public Scorer {
 public:
  explicit TagScorer(const ScoreOptions& options) : field_(options.gold_field()) {}

  std::string gold(const io::Fields& fields) const override {
    std::string packed;
    for (const auto tag : fields.strings(field_)) pack(packed, tag);
    return packed;
  }

  std::unique_ptr<io::Work> compare(std::string_view gold, const io::Fields& fields) const override {
    auto compared = std::make_unique<ComparedTags>();
    compared->score.add(unpack(gold), fields.strings("prediction"));
    compared->sentences = 1;
    return compared;
  }

  // The last two columns are the gold and the predicted tag. A line that starts with -X- ends a sentence, as
  // in conlleval. Lines that are no words for the other tools are none here.
  std::unique_ptr<io::Work> compare_conll(std::string_view sentence) const override {
    auto compared = std::make_unique<ComparedTags>();
    std::vector<std::string_view> gold, predicted;
    const auto end_sentence = [&] {
      if (gold.empty()) return;
      compared->score.add(gold, predicted);
      ++compared->sentences;
      gold.clear(), predicted.clear();
    };
    while (!sentence.empty()) {
      const size_t end = std::min(sentence.find('\n'), sentence.size());
      const auto line = sentence.substr(0, end);
      const auto words = io::columns_of(line);
      sentence.remove_prefix(std::min(end + 1, sentence.size()));
      if (gold.empty() && io::is_conll_comment(line)) continue;
      if (io::is_conll_document(line) || words.front() == "-X-") {
        end_sentence();
        continue;
      }
      if (words.size() < 2)
        throw Error("the line \"", line,
                    "\" has a single column, expected the gold and the predicted tag at its end");
      gold.push_back(words[words.size() - 2]);
      predicted.push_back(words.back());
    }
    end_sentence();
    if (compared->sentences == 0) return nullptr;
    return compared;
  }

  void add(size_t, const io::Work& work) override {
    const auto& compared = static_cast<const ComparedTags&>(work);
    score_.merge(compared.score);
    sentences_ += compared.sentences;
  }

  void report(Report& report) const override {
    report.count("records", sentences_);
    report.count("words", score_.tokens());
    append(report, score_.all());
    report.metric("accuracy", score_.accuracy());
    if (!report.open("types")) return;
    for (const auto& [type, counts] : score_.types()) {
      report.open(type);
      append(report, counts);
      report.count("gold", counts.gold);
      report.count("predicted", counts.predicted);
      report.close();
    }
    report.close();
  }

 private:
  static void append(Report& report, const EntityScore::Counts& counts) {
    report.metric("precision", counts.precision());
    report.metric("recall", counts.recall());
    report.metric("f1", counts.f1());
  }

  std::string field_;
  EntityScore score_;
  int64_t sentences_ = 0;
};

}  // namespace

std::unique_ptr<Scorer> make_tag_scorer(const ScoreOptions& options) {
  return std::make_unique<TagScorer>(options);
}

}  // namespace bert::metric
