#include <algorithm>
#include <charconv>

#include "base/error.h"
#include "base/option.h"
#include "base/spelling.h"
#include "json/json.h"
#include "metric/label_scores.h"
#include "metric/score_plot.h"
#include "metric/scorer.h"

namespace bert::metric {
namespace {

struct ComparedLabels : io::Work {
  std::string gold, predicted;
  std::optional<double> confidence;  // probability of the predicted label
  RecordScores scores;               // of all labels; for choose, of all choices
};

std::optional<uint32_t> index_of(std::string_view label) {
  uint32_t index = 0;
  const auto* end = label.data() + label.size();
  const auto [rest, error] = std::from_chars(label.data(), end, index);
  return error == std::errc() && rest == end ? std::optional(index) : std::nullopt;
}

// The score of the predicted label, an index if the scores are an array; nullopt if it is no probability.
std::optional<double> confidence_of(const json::Value& scores, const std::string& predicted) {
  std::optional<json::Value> score;
  if (scores.kind() == json::Value::Kind::object) {
    score = scores.find(predicted);
  } else if (scores.kind() == json::Value::Kind::array) {
    const auto all = scores.elements();
    if (const auto i = index_of(predicted); i && *i < all.size()) score = all[*i];
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

// The numbers of an array.
std::vector<double> numbers_of(const json::Value& scores) {
  std::vector<double> numbers;
  for (const auto& score : scores.elements())
    if (score.kind() == json::Value::Kind::number) numbers.push_back(score.number());
  return numbers;
}

// Throws Error unless `label` is the index of one of the record's choices.
void require_choice(const io::Fields& fields, std::string_view field, std::string_view label) {
  auto choices = fields.json("choices");
  if (!choices || !choices->is_array()) choices = fields.json("scores");
  if (choices && choices->is_array()) io::index_of_choice(field, label, choices->size());
}

constexpr std::string_view kTopK = "top_k_accuracy";

void add_note(std::string note, std::vector<std::string>& remarks) {
  if (!note.empty()) remarks.push_back(std::move(note));
}

// Tasks next, classify and choose: one label out of several.
class LabelScorer : public Scorer {
 public:
  explicit LabelScorer(const ScoreOptions& options) : Scorer(options) {
    if (options.settled) scored_.settle(options.settled->labels);
  }

  ScoreOptions settled() const override {
    auto options = options_;
    options.settled = {.positive = evaluation_.positive, .labels = scored_.names()};
    return options;
  }

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
        !scores && (fields.json(column) || fields.text(column)))
      compared->confidence = confidence_in(fields, column);
    if (scores) compared->confidence = confidence_of(*scores, compared->predicted);
    const bool ignored = options_.scores == ScoresUse::ignored;
    if (task_ != task::Task::choose) {
      if (!ignored || !scored_.are_known()) compared->scores = scored_.read(fields);
    } else if (!ignored && scores && scores->is_array()) {
      compared->scores.values = numbers_of(*scores);
    }
    return compared;
  }

  void add(size_t, io::Work& work) override {
    auto& compared = static_cast<ComparedLabels&>(work);
    scored_.settle(compared.scores);
    add_scores(compared);
    labels_.add(compared.gold, compared.predicted);
    if (compared.confidence)
      evaluation_.calibration.add(*compared.confidence, compared.gold == compared.predicted);
  }

  std::optional<bool> is_right(const io::Work& work) const override {
    const auto& compared = static_cast<const ComparedLabels&>(work);
    return compared.gold == compared.predicted;
  }

  // The negative logarithm of the probability of the gold label.
  std::optional<Miss> miss(const io::Work& work) const override {
    const auto& compared = static_cast<const ComparedLabels&>(work);
    if (compared.gold == compared.predicted) return std::nullopt;
    const auto& scores = compared.scores.values;
    const auto gold = gold_index(compared);
    if (!gold || *gold >= scores.size() || !is_probability(scores[*gold]))
      throw Error(
          "has no probability of its gold label in the field \"scores\", from which its loss is computed");
    Miss miss = {.loss = log_loss_of(scores[*gold]), .gold = {}};
    json::append_string(miss.gold, compared.gold);
    return miss;
  }

  void append_counts(Report& report) const override { report.count("records", labels_.count()); }

  std::string advice(std::string_view metric) const override {
    const auto needs = find_metric(metric, task_)->needs;
    if (metric == kTopK && !options_.top_k) return ": " + opt::top_k + " says how many labels count";
    if (needs == Needs::probability) return ": " + missing_probabilities();
    if (needs == Needs::probabilities)
      return ": " +
             scores_missing(labels_.count() - evaluation_.losses.count(), labels_.count(), "probabilities");
    if (needs == Needs::scores) return ": " + missing_scores();
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
      remarks.push_back(without({Needs::probability}) + missing_probabilities());
    } else if (scored_records_ > 0 && scored_records_ < labels_.count()) {
      remarks.push_back(without({Needs::probabilities, Needs::scores}) + missing_scores());
    }
    return remarks;
  }

  std::string plot() const override {
    return confusion_script(labels_, all_labels(),
                            evaluation_.is_calibrated() ? evaluation_.calibration : Calibration());
  }

 private:
  void settle() override {
    if (options_.top_k) require_top_k(*options_.top_k);
    if (task_ != task::Task::classify) return;
    evaluation_.positive = positive_label();
    if (evaluation_.scores.count() != labels_.count()) return;
    const auto& positive = evaluation_.positive;
    evaluation_.areas =
        areas_of(evaluation_.scores, positive.empty() ? scored_.names() : std::vector{positive}, scored_);
  }

  void require_top_k(int64_t k) {
    if (scored_records_ < labels_.count()) throw Error(opt::top_k, " ", k, ": ", missing_scores());
    if (k >= evaluation_.places.fewest())
      throw Error(opt::top_k, " ", k, ": there are only ", evaluation_.places.fewest(), " labels");
    evaluation_.top_k = k;
  }

  std::optional<uint32_t> gold_index(const ComparedLabels& compared) const {
    return task_ == task::Task::choose ? index_of(compared.gold) : scored_.find(compared.gold);
  }

  // Adds the scores of a record that has one for each label, the gold one included.
  void add_scores(const ComparedLabels& compared) {
    const auto& scores = compared.scores.values;
    if (options_.scores == ScoresUse::ignored || !are_scores(scores)) return;
    const auto gold = gold_index(compared);
    if (!gold || *gold >= scores.size()) return;
    ++scored_records_;
    evaluation_.losses.add(scores, *gold);
    if (options_.top_k) evaluation_.places.add(scored_.place_of(*gold, scores), std::ssize(scores));
    if (options_.scores == ScoresUse::kept) evaluation_.scores.add(scores, {&*gold, 1});
  }

  std::string label_of(const io::Fields& fields, const std::string& field) const {
    std::string label = fields.label(field);
    io::require_label(fields.own_name(field), label);
    if (task_ == task::Task::choose) require_choice(fields, field, label);
    return label;
  }

  // "no ece or brier: ", of metrics with these needs.
  std::string without(std::initializer_list<Needs> needs) const {
    std::vector<std::string> names;
    for (const auto* metric : metrics_of(task_, kScore))
      if (std::ranges::find(needs, metric->needs) != needs.end() && metric->name != kTopK)
        names.emplace_back(metric->name);
    return "no " + listed(names, "or") + ": ";
  }

  std::string missing_scores() const {
    return scores_missing(labels_.count() - scored_records_, labels_.count());
  }

  std::string missing_probabilities() const {
    return std::to_string(labels_.count() - evaluation_.calibration.count()) + " of " +
           std::to_string(labels_.count()) +
           " records have no probability of the predicted label in the field \"scores\"";
  }

  // The model's labels in id order, then the others.
  std::vector<std::string> all_labels() const {
    auto labels = scored_.names();
    auto others = labels_.labels();
    std::erase_if(others, [&](const auto& label) { return scored_.find(label).has_value(); });
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
    if (options_.settled) return options_.settled->positive;
    if (const auto& given = options_.positive) {
      if (has(came, *given) || scored_.find(*given)) return *given;
      throw Error(opt::positive, " ", *given, ": no gold label or prediction has this name",
                  did_you_mean(*given, came));
    }
    const auto& usual = options_.usual_positive;
    for (const auto label : usual) {
      if (has(came, label)) return std::string(label);
    }
    if (const auto& ids = scored_.names(); !ids.empty()) return ids.size() == 2 ? ids.back() : std::string();
    if (!usual.empty() && came.size() == 1) return std::string(usual.front());
    return came.size() <= 2 ? highest_label(came) : std::string();
  }

  Classification& labels_ = evaluation_.labels;
  ScoredLabels scored_;         // the labels of the model
  int64_t scored_records_ = 0;  // with a score of each label
};

}  // namespace

std::unique_ptr<Scorer> make_label_scorer(const ScoreOptions& options) {
  return std::make_unique<LabelScorer>(options);
}

}  // namespace bert::metric
