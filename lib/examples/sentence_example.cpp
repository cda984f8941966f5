#include "examples/sentence_example.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "json/json.h"

namespace bert::examples {

void read_class(const io::Fields& fields, const std::string& field, const Labels& labels,
                SentenceExample& example) {
  const auto label = fields.label(field);
  io::require_label(fields.own_name(field), label);
  example.label = labels.id(label);
}

void read_value(const io::Fields& fields, const std::string& field, const Labels&, SentenceExample& example) {
  example.value = fields.number(field);
  if (!std::isfinite(static_cast<float>(example.value)))
    throw Error("field \"", field, "\" is ", example.value, ", which is too large for f32");
}

// An array of labels; in a table they are as in io::Fields::labels.
void read_label_set(const io::Fields& fields, const std::string& field, const Labels& labels,
                    SentenceExample& example) {
  if (const auto json = fields.json(field)) io::named(field, [&] { return json->elements(); });
  const auto names = fields.labels(field);
  for (const auto& name : names) io::require_label(fields.own_name(field), name);
  auto sorted = names;
  std::ranges::sort(sorted);
  if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
    throw Error("field \"", field, "\" has \"", *twice, "\" twice");
  example.targets.resize(labels.size());
  for (const auto& name : names) example.targets[labels.id(name)] = 1;
}

namespace {

constexpr auto kScores = "scores", kPrediction = "prediction";

// `scores` of bert-predict: {"label": probability, ...}; in a table the columns "scores.label".
std::vector<std::pair<std::string, double>> scores_of(const io::Fields& fields) {
  constexpr std::string_view kColumns = "scores.";
  std::vector<std::pair<std::string, double>> scores;
  if (!fields.json(kScores))
    for (const auto& name : fields.names())
      if (name.starts_with(kColumns)) scores.emplace_back(name.substr(kColumns.size()), fields.number(name));
  if (!scores.empty()) return scores;
  const auto members = fields.required(kScores);
  io::named(kScores, [&] {
    for (const auto& [name, value] : members.members()) scores.emplace_back(name, value.number());
  });
  return scores;
}

std::vector<std::string> sorted_names(std::span<const std::pair<std::string, double>> scores) {
  std::vector<std::string> names;
  for (const auto& [name, _] : scores) names.push_back(name);
  std::ranges::sort(names);
  return names;
}

}  // namespace

SentenceReader::SentenceReader(ReadLabel* read_label, const features::Featurizer& featurizer,
                               std::string label_field, const Labels& labels, SoftLabels soft,
                               LabelRange* sums)
    : read_label_(read_label),
      featurizer_(featurizer),
      label_field_(std::move(label_field)),
      labels_(labels),
      soft_(soft),
      sums_(sums) {}

void SentenceReader::begin(const io::Fields& fields) {
  if (soft_ == SoftLabels::none || read_label_ == read_value) return;
  names_ = sorted_names(scores_of(fields));
}

// All records have the same labels.
void SentenceReader::read_scores(const io::Fields& fields, SentenceExample& example) const {
  const auto scores = scores_of(fields);
  if (!names_.empty() && sorted_names(scores) != names_)
    throw Error("field \"", kScores, "\" has other labels than in the first record");
  example.soft.resize(labels_.size());
  double sum = 0;
  for (const auto& score : scores) {
    const float p = io::named(kScores, [&] { return probability(score.first, score.second); });
    example.soft[labels_.id(score.first)] = p;
    sum += score.second;
  }
  if (read_label_ == read_class && !(sum > 0))
    throw Error("field \"", kScores, "\" has no probability above 0");
  if (sums_ != nullptr) sums_->add(sum);
}

// A gold label without a score has another name than the teacher gives it.
void SentenceReader::require_scored(const io::Fields& fields) const {
  if (read_label_ != read_class || names_.empty()) return;
  const auto label = fields.label(label_field_);
  if (std::ranges::binary_search(names_, label)) return;
  std::string names;
  for (const auto& name : std::span(names_).first(std::min(names_.size(), size_t{3})))
    names += (names.empty() ? "" : ", ") + json::in_quotes(name);
  if (names_.size() > 3) names += " ...";
  throw Error("field \"", label_field_, "\" is ", json::in_quotes(label), ", but \"", kScores, "\" has ",
              names);
}

void SentenceReader::read_soft(const io::Fields& fields, SentenceExample& example) const {
  if (read_label_ == read_value) {
    const double value = fields.number(kPrediction);
    if (!std::isfinite(static_cast<float>(value)))
      throw Error("field \"", kPrediction, "\" is ", value, ", which is too large for f32");
    example.soft = {static_cast<float>(value)};
    if (soft_ == SoftLabels::alone) example.value = value;
    return;
  }
  read_scores(fields, example);
  if (soft_ != SoftLabels::alone) {
    require_scored(fields);
    return;
  }
  example.label = static_cast<int32_t>(std::ranges::max_element(example.soft) - example.soft.begin());
  example.targets.clear();
  for (const float p : example.soft) example.targets.push_back(p >= 0.5f ? 1 : 0);
}

void SentenceReader::read(const io::Fields& fields, const io::Record&, int64_t, Examples& examples) const {
  auto example = std::make_unique<SentenceExample>();
  auto features = featurizer_.features(fields);
  example->ids = std::move(features.ids);
  example->types = std::move(features.types);
  example->traits.set(Trait::truncated, features.truncated);
  if (soft_ != SoftLabels::alone) read_label_(fields, label_field_, labels_, *example);
  if (soft_ != SoftLabels::none) read_soft(fields, *example);
  examples.push_back(std::move(example));
}

}  // namespace bert::examples
