#include "metric/label_scores.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "json/json.h"
#include "metric/classification.h"

namespace bert::metric {
namespace {

constexpr std::string_view kScoreColumn = "scores.";  // of a table: one for each label, see io::OutputFields
constexpr double kNoScore = std::numeric_limits<double>::quiet_NaN();

double score_of(const json::Value& value) {
  return value.kind() == json::Value::Kind::number ? value.number() : kNoScore;
}

double score_in(const io::Fields& fields, const std::string& column) {
  if (const auto json = fields.json(column)) return score_of(*json);
  const auto text = fields.text(column);
  return !text || text->empty() ? kNoScore : fields.number(column);
}

}  // namespace

RecordScores ScoredLabels::read(const io::Fields& fields) const {
  RecordScores scores;
  const auto object = fields.json("scores");
  if (object && object->kind() != json::Value::Kind::object) return scores;
  if (!known_) {
    if (object) {
      for (const auto& [label, score] : object->members()) {
        scores.labels.emplace_back(label);
        scores.values.push_back(score_of(score));
      }
      return scores;
    }
    for (const auto& name : fields.names()) {
      if (!name.starts_with(kScoreColumn)) continue;
      scores.labels.push_back(name.substr(kScoreColumn.size()));
      scores.values.push_back(score_in(fields, name));
    }
    return scores;
  }
  scores.values.assign(names_.size(), kNoScore);
  if (!object) {
    for (size_t i = 0; i < names_.size(); ++i)
      scores.values[i] = score_in(fields, std::string(kScoreColumn) + names_[i]);
    return scores;
  }
  size_t next = 0;  // members are usually in the same order
  for (const auto& [label, score] : object->members()) {
    const bool is_next = next < names_.size() && names_[next] == label;
    const auto i = is_next ? std::optional<uint32_t>(next) : find(label);
    if (i) scores.values[*i] = score_of(score), next = *i + 1;
  }
  return scores;
}

void ScoredLabels::settle(RecordScores& scores) {
  if (scores.labels.empty()) return;
  if (!known_) settle(scores.labels);
  std::vector<double> values(names_.size(), kNoScore);
  for (size_t i = 0; i < scores.labels.size(); ++i)
    if (const auto place = find(scores.labels[i])) values[*place] = scores.values[i];
  scores = {.labels = {}, .values = std::move(values)};
}

void ScoredLabels::settle(const std::vector<std::string>& labels) {
  for (const auto& label : labels)
    if (table_.add(label).second) names_.push_back(label);
  auto sorted = names_;
  sort_labels(sorted);
  for (const auto& name : names_) sorted_places_.push_back(std::ranges::find(sorted, name) - sorted.begin());
  known_ = !names_.empty();
}

int64_t ScoredLabels::place_of(size_t label, std::span<const double> scores) const {
  int64_t better = 0;
  for (size_t i = 0; i < scores.size(); ++i)
    better += scores[i] > scores[label] ||
              (scores[i] == scores[label] && sorted_places_[i] > sorted_places_[label]);
  return better;
}

void LabelScores::add(std::span<const double> scores, std::span<const uint32_t> gold) {
  scores_.insert(scores_.end(), scores.begin(), scores.end());
  const size_t begin = gold_.size();
  gold_.resize(scores_.size());
  for (const auto label : gold) gold_[begin + label] = true;
  ++count_;
}

std::vector<Curve::Example> LabelScores::examples(size_t label) const {
  std::vector<Curve::Example> examples;
  for (size_t i = label; i < scores_.size(); i += labels()) examples.push_back({scores_[i], gold_[i]});
  return examples;
}

std::span<const double> LabelScores::of(int64_t example) const {
  return std::span(scores_).subspan(example * labels(), labels());
}

size_t LabelScores::gold_of(int64_t example) const {
  const auto begin = gold_.begin() + example * labels();
  return std::find(begin, begin + labels(), true) - begin;
}

bool are_scores(std::span<const double> scores) {
  return !scores.empty() && std::ranges::all_of(scores, [](double score) { return std::isfinite(score); });
}

std::string scores_missing(int64_t missing, int64_t records, std::string_view what) {
  return std::to_string(missing) + " of " + std::to_string(records) + " records have no " +
         std::string(what) + " of all labels in the field \"scores\", or a gold label that is not among them";
}

std::vector<LabelAreas> areas_of(const LabelScores& scores, const std::vector<std::string>& labels,
                                 const ScoredLabels& scored) {
  std::vector<LabelAreas> areas;
  for (const auto& label : labels) {
    const auto i = scored.find(label);
    if (!i) continue;
    const Curve curve(scores.examples(*i));
    areas.push_back({label, *i, curve.roc_auc(), curve.average_precision()});
  }
  return areas;
}

bool ProbabilityLosses::add(std::span<const double> probabilities, size_t gold) {
  if (!std::ranges::all_of(probabilities, is_probability)) return false;
  double squares = 0;
  for (size_t i = 0; i < probabilities.size(); ++i) {
    const double error = probabilities[i] - (i == gold ? 1 : 0);
    squares += error * error;
  }
  brier_ += probabilities.size() < 3 ? squares / 2 : squares;
  log_loss_ += log_loss_of(probabilities[gold]);
  ++count_;
  return true;
}

bool is_probability(double score) { return score >= 0 && score <= 1; }

double log_loss_of(double probability) {
  constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
  return -std::log(std::clamp(probability, kEpsilon, 1 - kEpsilon));
}

}  // namespace bert::metric
