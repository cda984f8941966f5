#include "examples/choose_example.h"

#include <cassert>
#include <utility>

#include "base/error.h"
#include "examples/sentence_example.h"
#include "features/choose_sequences.h"

namespace bert::examples {
namespace {

int32_t index_of(const io::Fields& fields, const std::string& field, size_t choices) {
  return io::index_of_choice(field, fields.label(field), choices);
}

}  // namespace

ChooseReader::ChooseReader(const features::Featurizer& featurizer, std::string label_field)
    : featurizer_(featurizer), label_field_(std::move(label_field)) {
  assert(featurizer_.options().overflow == features::Overflow::truncate);
}

void ChooseReader::read(const io::Fields& fields, const io::Record&, int64_t, Examples& examples) const {
  auto example = std::make_unique<ChooseExample>();
  for (const auto& [features, choice] : features::choose_sequences(featurizer_, fields)) {
    example->add(features);
  }
  example->label = index_of(fields, label_field_, example->lengths.size());
  example->traits.set(Trait::idle, example->lengths.size() == 1);
  examples.push_back(std::move(example));
}

}  // namespace bert::examples
