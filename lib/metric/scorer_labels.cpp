#include <algorithm>
#include <atomic>

#include "base/error.h"
#include "metric/classification.h"
#include "metric/packed.h"
#include "metric/scorer.h"

namespace bert::metric {
namespace {

struct ComparedLabels : io::Work {
  std::string gold, predicted;
  std::vector<std::string> all;  // of the model in the order of its ids, while they are not known yet
};

// next, classify, choose: one label of several.
class LabelScorer : public Scorer {
 public:
  explicit LabelScorer(const ScoreOptions& options)
      : task_(options.task),
        field_(options.label_field.value_or(task_ == Task::next ? "next_sentence_label" : "label")),
        positive_(options.positive),
        usual_positive_(options.usual_positive) {}

  std::string gold(const io::Fields& fields) const override {
    std::string label = label_text(fields, field_);
    if (task_ != Task::next) return label;
    if (label == "0" || label == "is_next") return "is_next";
    if (label == "1" || label == "not_next") return "not_next";
    throw Error("field \"", field_, "\" is \"", label, "\", expected 0, is_next, 1 or not_next");
  }

  std::unique_ptr<io::Work> compare(std::string_view gold, const io::Fields& fields) const override {
    auto compared = std::make_unique<ComparedLabels>();
    compared->gold = gold;
    compared->predicted = label_text(fields, "prediction");
    const auto scores = ids_known_ ? std::nullopt : fields.json("scores");
    if (scores && scores->kind() == io::Json::Kind::object) {
      for (const auto& [label, score] : scores->members()) compared->all.emplace_back(label);
    }
    return compared;
  }

  void add(size_t, const io::Work& work) override {
    const auto& compared = static_cast<const ComparedLabels&>(work);
    if (!ids_known_ && !compared.all.empty()) {
      ids_ = compared.all;
      ids_known_ = true;
    }
    score_.add(compared.gold, compared.predicted);
  }

  void report(Report& report) const override {
    report.count("records", score_.count());
    report.metric("accuracy", score_.accuracy());
    if (task_ != Task::classify) return;
    if (const auto positive = positive_label(); !positive.empty()) {
      if (report.metric("f1", score_.f1(positive))) report.text("positive", positive);
    }
    report.metric("macro_f1", score_.macro_f1());
    report.metric("matthews", score_.matthews());
  }

  std::string remark() const override {
    if (task_ != Task::classify || score_.count() < 2 || !score_.confused()) return {};
    return "no true label is ever predicted: are labels named alike in truth and predictions?";
  }

 private:
  // F1 is that of one label: the one asked for, else of two the one with the higher id.
  std::string positive_label() const {
    const auto came = score_.labels();
    const auto has = [](const std::vector<std::string>& labels, std::string_view label) {
      return std::find(labels.begin(), labels.end(), label) != labels.end();
    };
    if (positive_) {
      if (has(came, *positive_) || has(ids_, *positive_)) return *positive_;
      throw Error("there is no label \"", *positive_, "\", neither true nor predicted");
    }
    for (const auto label : usual_positive_) {
      if (has(came, label)) return std::string(label);
    }
    if (!ids_.empty()) return ids_.size() == 2 ? ids_.back() : std::string();
    return came.size() <= 2 ? highest_label(came) : std::string();
  }

  Task task_;
  std::string field_;
  std::optional<std::string> positive_;
  std::vector<std::string_view> usual_positive_;
  Classification score_;
  std::vector<std::string> ids_;  // labels of the model
  std::atomic<bool> ids_known_ =
      false;  // set in the order of input, so ids_ are the first record's that has any
};

struct ComparedSets : io::Work {
  std::string gold, predicted;  // packed
};

class MultilabelScorer : public Scorer {
 public:
  explicit MultilabelScorer(const ScoreOptions& options) : field_(options.label_field.value_or("label")) {}

  std::string gold(const io::Fields& fields) const override { return packed(texts(fields, field_)); }

  std::unique_ptr<io::Work> compare(std::string_view gold, const io::Fields& fields) const override {
    auto compared = std::make_unique<ComparedSets>();
    compared->gold = gold;
    compared->predicted = packed(texts(fields, "prediction"));
    return compared;
  }

  void add(size_t, const io::Work& work) override {
    const auto& compared = static_cast<const ComparedSets&>(work);
    score_.add(unpack(compared.gold), unpack(compared.predicted));
  }

  void report(Report& report) const override {
    report.count("records", score_.count());
    report.metric("micro_f1", score_.micro_f1());
    report.metric("macro_f1", score_.macro_f1());
    report.metric("accuracy", score_.accuracy());
  }

 private:
  static std::string packed(const std::vector<std::string_view>& labels) {
    std::string bytes;
    for (const auto label : labels) pack(bytes, label);
    return bytes;
  }

  std::string field_;
  Multilabel score_;
};

}  // namespace

std::unique_ptr<Scorer> make_label_scorer(const ScoreOptions& options) {
  return std::make_unique<LabelScorer>(options);
}

std::unique_ptr<Scorer> make_multilabel_scorer(const ScoreOptions& options) {
  return std::make_unique<MultilabelScorer>(options);
}

}  // namespace bert::metric
