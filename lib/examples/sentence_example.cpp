#include "examples/sentence_example.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "base/error.h"

namespace bert::examples {
namespace {

std::optional<int64_t> integer_of(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  // "01" and "-0" are names, not other spellings of 1 and 0.
  return whole && std::to_string(value) == text ? std::optional(value) : std::nullopt;
}

double value_of(const io::Fields& fields, const std::string& field) {
  const double value = fields.number(field);
  if (!std::isfinite(static_cast<float>(value))) throw Error("field \"", field, "\" is not a finite number");
  return value;
}

}  // namespace

Labels::Labels(std::vector<std::string> names) : names_(std::move(names)) {
  for (const auto& name : names_) {
    if (!ids_.emplace(name, static_cast<int32_t>(ids_.size())).second)
      throw Error("label \"", name, "\" appears twice");
  }
}

std::optional<int32_t> Labels::find(const std::string& name) const {
  const auto found = ids_.find(name);
  return found == ids_.end() ? std::nullopt : std::optional(found->second);
}

int32_t Labels::id(const std::string& name) const {
  constexpr size_t kShown = 10;
  if (const auto id = find(name)) return *id;
  std::string known;
  for (size_t i = 0; i < std::min(kShown, names_.size()); ++i)
    known += (i == 0 ? "\"" : ", \"") + names_[i] + '"';
  throw Error("label \"", name, "\" is not one of ", known, names_.size() > kShown ? ", …" : "");
}

std::vector<std::string> labels_of(const io::Fields& fields, const std::string& field) {
  if (const auto json = fields.json(field)) io::named(field, [&] { return json->elements(); });
  auto labels = fields.labels(field);
  auto sorted = labels;
  std::ranges::sort(sorted);
  if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
    throw Error("field \"", field, "\" has \"", *twice, "\" twice");
  return labels;
}

std::vector<std::string> in_order(std::vector<std::string> names) {
  const bool integers =
      std::ranges::all_of(names, [](const auto& name) { return integer_of(name).has_value(); });
  if (integers) {
    std::ranges::sort(names, {}, [](const auto& name) { return *integer_of(name); });
  } else {
    std::ranges::sort(names);
  }
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

SentenceReader::SentenceReader(SentenceTask task, const features::Featurizer& featurizer,
                               std::string label_field, const Labels& labels)
    : task_(task), featurizer_(featurizer), label_field_(std::move(label_field)), labels_(labels) {}

void SentenceReader::read(const io::Fields& fields, const io::Record&, int64_t, Examples& examples) const {
  auto example = std::make_unique<SentenceExample>();
  auto features = featurizer_.features(fields);
  example->ids = std::move(features.ids);
  example->types = std::move(features.types);
  example->truncated = features.truncated;
  switch (task_) {
    case SentenceTask::classify:
      example->label = labels_.id(fields.label(label_field_));
      break;
    case SentenceTask::regress:
      example->value = value_of(fields, label_field_);
      break;
    case SentenceTask::multilabel:
      example->targets.resize(static_cast<size_t>(labels_.size()));
      for (const auto& label : labels_of(fields, label_field_)) {
        example->targets[static_cast<size_t>(labels_.id(label))] = 1;
      }
      break;
  }
  examples.push_back(std::move(example));
}

}  // namespace bert::examples
