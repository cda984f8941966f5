#include <algorithm>
#include <atomic>
#include <charconv>

#include "base/error.h"
#include "base/option.h"
#include "base/string_table.h"
#include "json/json.h"
#include "metric/score_plot.h"
#include "metric/scorer.h"

namespace bert::metric {
namespace {

struct ComparedLabels : io::Work {
  std::string gold, predicted;
  std::optional<double> confidence;  // probability of the predicted label
  std::vector<std::string> all;      // all labels of the model in id order, until they are known
};

// The score of the predicted label, an index if the scores are an array; nullopt if it is no probability.
std::optional<double> confidence_of(const json::Value& scores, const std::string& predicted) {
  std::optional<json::Value> score;
  if (scores.kind() == json::Value::Kind::object) {
    score = scores.find(predicted);
  } else if (scores.kind() == json::Value::Kind::array) {
    const auto all = scores.elements();
    size_t i = 0;
    const auto* end = predicted.data() + predicted.size();
    const auto [rest, error] = std::from_chars(predicted.data(), end, i);
    if (error == std::errc() && rest == end && i < all.size()) score = all[i];
  }
  if (!score || score->kind() != json::Value::Kind::number) return {};
  const double value = score->number();
  return value >= 0 && value <= 1 ? std::optional(value) : std::nullopt;
}

constexpr std::string_view kColumn = "scores.";  // of a table: one for each label, see io::OutputFields

// The same for the scores of a table; `column` is that of the label.
std::optional<double> confidence_in(const io::Fields& fields, const std::string& column) {
  const auto json = fields.json(column);
  if (json ? json->kind() != json::Value::Kind::number : fields.text(column)->empty()) return {};
  const double value = fields.number(column);
  return value >= 0 && value <= 1 ? std::optional(value) : std::nullopt;
}

std::vector<std::string> labels_in_columns(const io::Fields& fields) {
  std::vector<std::string> labels;
  for (const auto& name : fields.names())
    if (name.starts_with(kColumn)) labels.push_back(name.substr(kColumn.size()));
  return labels;
}

// Throws Error unless `label` is the index of one of the record's choices.
void require_choice(const io::Fields& fields, std::string_view field, std::string_view label) {
  auto choices = fields.json("choices");
  if (!choices || !choices->is_array()) choices = fields.json("scores");
  if (choices && choices->is_array()) io::index_of_choice(field, label, choices->size());
}

void add_note(std::string note, std::vector<std::string>& remarks) {
  if (!note.empty()) remarks.push_back(std::move(note));
}

// Tasks next, classify and choose: one label out of several.
class LabelScorer : public Scorer {
 public:
  explicit LabelScorer(const ScoreOptions& options)
      : Scorer(options), positive_(options.positive), usual_positive_(options.usual_positive) {}

  std::string gold(const io::Fields& fields) const override {
    std::string label = label_of(fields, field_);
    if (task_ != task::Task::next) return label;
    if (label == "0" || label == "is_next") return "is_next";
    if (label == "1" || label == "not_next") return "not_next";
    throw Error("field \"", field_, "\" is \"", label, "\", expected 0, is_next, 1 or not_next");
  }

  std::unique_ptr<io::Work> compare(std::string_view gold, const io::Fields& fields) const override {
    auto compared = std::make_unique<ComparedLabels>();
    compared->gold = gold;
    compared->predicted = label_of(fields, "prediction");
    if (task_ == task::Task::choose) require_choice(fields, field_, compared->gold);
    const auto scores = fields.json("scores");
    if (const auto column = std::string(kColumn) + compared->predicted;
        !scores && (fields.json(column) || fields.text(column))) {
      compared->confidence = confidence_in(fields, column);
      if (!ids_known_) compared->all = labels_in_columns(fields);
    }
    if (!scores) return compared;
    compared->confidence = confidence_of(*scores, compared->predicted);
    if (!ids_known_ && scores->kind() == json::Value::Kind::object) {
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
    labels_.add(compared.gold, compared.predicted);
    if (compared.confidence)
      evaluation_.calibration.add(*compared.confidence, compared.gold == compared.predicted);
  }

  void append_counts(Report& report) const override { report.count("records", labels_.count()); }

  std::string advice(std::string_view metric) const override {
    const auto needs = find_metric(metric, task_)->needs;
    if (needs == Needs::probabilities) return ": " + missing_probabilities();
    return needs == Needs::positive_label ? ": with more than two labels, name one with " + opt::positive
                                          : "";
  }

  std::vector<std::string> remarks() const override {
    std::vector<std::string> remarks;
    if (task_ == task::Task::classify) {
      remarks = spelling_notes(labels_.labels());
      add_note(missing_note(labels_.labels()), remarks);
      add_note(brackets_note(labels_.labels()), remarks);
    }
    if (task_ == task::Task::classify && labels_.count() >= 2 && labels_.disjoint()) {
      remarks.emplace_back(kNeverPredicted);
    } else if (evaluation_.calibration.count() > 0 && !evaluation_.is_calibrated()) {
      remarks.push_back("no " + listed(calibrated_metrics(), "or") + ": " + missing_probabilities());
    }
    return remarks;
  }

  std::string plot() const override {
    return confusion_script(labels_, all_labels(),
                            evaluation_.is_calibrated() ? evaluation_.calibration : Calibration());
  }

 private:
  void settle() override {
    if (task_ == task::Task::classify) evaluation_.positive = positive_label();
  }

  std::string label_of(const io::Fields& fields, const std::string& field) const {
    std::string label = fields.label(field);
    if (label.empty() && !fields.json(field)) throw Error("field \"", field, "\" has an empty label");
    if (task_ == task::Task::choose) require_choice(fields, field, label);
    return label;
  }

  std::vector<std::string> calibrated_metrics() const {
    std::vector<std::string> names;
    for (const auto* metric : metrics_of(task_, kScore))
      if (metric->needs == Needs::probabilities) names.emplace_back(metric->name);
    return names;
  }

  std::string missing_probabilities() const {
    return std::to_string(labels_.count() - evaluation_.calibration.count()) + " of " +
           std::to_string(labels_.count()) +
           " records have no probability of the predicted label in the field \"scores\"";
  }

  // The model's labels in id order, then the others.
  std::vector<std::string> all_labels() const {
    auto labels = ids_;
    auto others = labels_.labels();
    std::erase_if(others, [&](const auto& label) { return std::ranges::find(ids_, label) != ids_.end(); });
    sort_labels(others);
    labels.insert(labels.end(), others.begin(), others.end());
    return labels;
  }

  // F1 is computed for one label: the requested one, else the benchmark's, else of two the one
  // with the higher id.
  std::string positive_label() const {
    const auto came = labels_.labels();
    const auto has = [](const std::vector<std::string>& labels, std::string_view label) {
      return std::find(labels.begin(), labels.end(), label) != labels.end();
    };
    if (positive_) {
      if (has(came, *positive_) || has(ids_, *positive_)) return *positive_;
      throw Error(opt::positive, " ", *positive_, ": no gold label or prediction has this name");
    }
    for (const auto label : usual_positive_) {
      if (has(came, label)) return std::string(label);
    }
    if (!ids_.empty()) return ids_.size() == 2 ? ids_.back() : std::string();
    if (!usual_positive_.empty() && came.size() == 1) return std::string(usual_positive_.front());
    return came.size() <= 2 ? highest_label(came) : std::string();
  }

  Classification& labels_ = evaluation_.labels;
  std::optional<std::string> positive_;
  std::vector<std::string_view> usual_positive_;
  std::vector<std::string> ids_;  // of the model
  std::atomic<bool> ids_known_ =
      false;  // set in input order, so ids_ come from the first record that has them
};

struct ComparedSets : io::Work {
  std::string gold, predicted;  // packed
};

class MultilabelScorer : public Scorer {
 public:
  using Scorer::Scorer;

  std::string gold(const io::Fields& fields) const override { return packed(fields.labels(field_)); }

  std::unique_ptr<io::Work> compare(std::string_view gold, const io::Fields& fields) const override {
    auto compared = std::make_unique<ComparedSets>();
    compared->gold = gold;
    compared->predicted = packed(fields.labels("prediction"));
    return compared;
  }

  void add(size_t, const io::Work& work) override {
    const auto& compared = static_cast<const ComparedSets&>(work);
    evaluation_.label_sets.add(unpack(compared.gold), unpack(compared.predicted));
  }

  void append_counts(Report& report) const override {
    report.count("records", evaluation_.label_sets.count());
  }

  std::vector<std::string> remarks() const override {
    const auto& sets = evaluation_.label_sets;
    auto remarks = spelling_notes(sets.labels());
    for (const auto& note : {missing_note, list_note}) add_note(note(sets.labels()), remarks);
    if (sets.count() >= 2 && sets.disjoint()) remarks.emplace_back(kNeverPredicted);
    return remarks;
  }

 private:
  static std::string packed(const std::vector<std::string>& labels) {
    std::string bytes;
    for (const auto& label : labels) pack(bytes, label);
    return bytes;
  }
};

}  // namespace

std::unique_ptr<Scorer> make_label_scorer(const ScoreOptions& options) {
  return std::make_unique<LabelScorer>(options);
}

std::unique_ptr<Scorer> make_multilabel_scorer(const ScoreOptions& options) {
  return std::make_unique<MultilabelScorer>(options);
}

}  // namespace bert::metric
