#include "examples/sentence_example.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.h"

namespace bert::examples {
namespace {

double value_of(const io::Fields& fields, const std::string& field) {
  const double value = fields.number(field);
  if (!std::isfinite(static_cast<float>(value))) throw Error("field \"", field, "\" is not a finite number");
  return value;
}

std::string class_of(const io::Fields& fields, const std::string& field) {
  auto label = fields.label(field);
  require_label(field, label);
  return label;
}

// An array of labels; in a table they are as in io::Fields::labels.
std::vector<std::string> labels_of(const io::Fields& fields, const std::string& field) {
  if (const auto json = fields.json(field)) io::named(field, [&] { return json->elements(); });
  auto labels = fields.labels(field);
  for (const auto& label : labels) require_label(field, label);
  auto sorted = labels;
  std::ranges::sort(sorted);
  if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
    throw Error("field \"", field, "\" has \"", *twice, "\" twice");
  return labels;
}

}  // namespace

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
      example->label = labels_.id(class_of(fields, label_field_));
      break;
    case SentenceTask::regress:
      example->value = value_of(fields, label_field_);
      break;
    case SentenceTask::multilabel:
      example->targets.resize(labels_.size());
      for (const auto& label : labels_of(fields, label_field_)) {
        example->targets[labels_.id(label)] = 1;
      }
      break;
  }
  examples.push_back(std::move(example));
}

}  // namespace bert::examples
