#include "examples/sentence_example.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.h"

namespace bert::examples {

void read_class(const io::Fields& fields, const std::string& field, const Labels& labels,
                SentenceExample& example) {
  const auto label = fields.label(field);
  require_label(field, label);
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
  for (const auto& name : names) require_label(field, name);
  auto sorted = names;
  std::ranges::sort(sorted);
  if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
    throw Error("field \"", field, "\" has \"", *twice, "\" twice");
  example.targets.resize(static_cast<size_t>(labels.size()));
  for (const auto& name : names) example.targets[labels.id(name)] = 1;
}

SentenceReader::SentenceReader(ReadLabel* read_label, const features::Featurizer& featurizer,
                               std::string label_field, const Labels& labels)
    : read_label_(read_label),
      featurizer_(featurizer),
      label_field_(std::move(label_field)),
      labels_(labels) {}

void SentenceReader::read(const io::Fields& fields, const io::Record&, int64_t, Examples& examples) const {
  auto example = std::make_unique<SentenceExample>();
  auto features = featurizer_.features(fields);
  example->ids = std::move(features.ids);
  example->types = std::move(features.types);
  example->traits.set(Trait::truncated, features.truncated);
  read_label_(fields, label_field_, labels_, *example);
  examples.push_back(std::move(example));
}

}  // namespace bert::examples
