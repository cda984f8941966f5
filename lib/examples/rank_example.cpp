#include "examples/rank_example.h"

#include <cmath>
#include <utility>

#include "base/error.h"
#include "examples/embed_example.h"
#include "features/candidates.h"

namespace bert::examples {
namespace {

constexpr auto kRelevance = "labels", kRatings = "scores";

std::vector<float> numbers_of(const io::Fields& fields, std::string_view name, size_t candidates) {
  const auto array = fields.required(name);
  return io::named(name, [&] {
    auto numbers = array.numbers();
    if (numbers.size() != candidates)
      throw Error("has ", counted(std::ssize(numbers), "number", "numbers"), " for ",
                  counted(candidates, "candidate", "candidates"));
    for (const float number : numbers)
      if (!std::isfinite(number)) throw Error("has a number that is not finite in f32");
    return numbers;
  });
}

}  // namespace

RankReader::RankReader(RankTargets targets, const features::Featurizer& featurizer, std::string label_field,
                       Purpose purpose)
    : targets_(std::move(targets)),
      featurizer_(featurizer),
      label_field_(std::move(label_field)),
      purpose_(purpose),
      is_list_(targets_.is_list),
      has_labels_(!targets_.taught),
      has_scores_(targets_.taught) {}

void RankReader::begin(const io::Fields& fields) {
  if (purpose_ == Purpose::training) return;
  is_list_ = features::has_candidates(fields);
  has_scores_ = has_value(fields, kRatings);
  has_labels_ = !targets_.taught || !has_scores_ || has_value(fields, kRelevance);
}

void RankReader::require_label(std::string_view field, double label) const {
  if (!std::isfinite(static_cast<float>(label)))
    throw Error("field \"", field, "\" is ", label, ", which is too large for f32");
  if (purpose_ == Purpose::dev || (label >= targets_.least && label <= targets_.most)) return;
  throw Error("field \"", field, "\" has ", label, ", the loss ", targets_.loss, " expects ",
              targets_.most == 1             ? "0 to 1"
              : std::isfinite(targets_.most) ? "at most 1000"
                                             : "at least 0");
}

void RankReader::read_pair(const io::Fields& fields, RankExample& example) const {
  auto features = featurizer_.features(fields);
  if (!features.pair && !featurizer_.takes_ids(fields))
    fields.required_text(featurizer_.options().pair_field);  // throws
  example.add(features);
  const double label = fields.number(label_field_);
  require_label(label_field_, label);
  example.labels = example.scores = {static_cast<float>(label)};
}

void RankReader::read_list(const io::Fields& fields, RankExample& example) const {
  const auto text = fields.required_text(featurizer_.options().text_field);
  const bool has_documents = fields.json(features::kDocuments).has_value();
  const auto candidates = features::candidates_of(featurizer_, fields);
  for (const auto& candidate : candidates) example.add(featurizer_.features(text, candidate));
  if (!has_documents) {
    example.labels.assign(candidates.size(), 0);
    example.labels.front() = 1;
  } else if (has_labels_) {
    example.labels = numbers_of(fields, kRelevance, candidates.size());
    for (const float label : example.labels) require_label(kRelevance, label);
  }
  if (has_scores_) example.scores = numbers_of(fields, kRatings, candidates.size());
}

void RankReader::read(const io::Fields& fields, const io::Record&, int64_t, Examples& examples) const {
  if (features::has_candidates(fields) != is_list_)
    throw Error(is_list_ ? "has no list of candidates" : "has a list of candidates",
                ", unlike the first record");
  auto example = std::make_unique<RankExample>();
  example->is_list = is_list_;
  if (is_list_) {
    read_list(fields, *example);
  } else {
    read_pair(fields, *example);
  }
  example->traits.set(Trait::paired);
  if (purpose_ == Purpose::training)
    example->traits.set(Trait::idle, !targets_.teaches(targets_.taught ? example->scores : example->labels));
  if (purpose_ == Purpose::dev && !is_list_ && !featurizer_.takes_ids(fields))
    example->text = fields.required_text(featurizer_.options().text_field);
  examples.push_back(std::move(example));
}

}  // namespace bert::examples
