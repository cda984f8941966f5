#include "examples/choose_example.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <utility>

#include "base/error.h"
#include "examples/sentence_example.h"
#include "features/choose_sequences.h"
#include "json/json.h"

namespace bert::examples {
namespace {

bool is_of_integer(char c) { return c == '-' || (c >= '0' && c <= '9'); }

int32_t index_of(const io::Fields& fields, const std::string& field, size_t choices) {
  const auto label = fields.label(field);
  size_t index = 0;
  const auto [end, error] = std::from_chars(label.data(), label.data() + label.size(), index);
  if (error != std::errc() || end != label.data() + label.size() || index >= choices)
    throw Error("field \"", field, "\" is ",
                !label.empty() && std::ranges::all_of(label, is_of_integer) ? std::string(label)
                                                                            : json::in_quotes(label),
                ", expected the index of one of ",
                counted(static_cast<int64_t>(choices), "choice", "choices"));
  return static_cast<int32_t>(index);
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
  examples.push_back(std::move(example));
}

}  // namespace bert::examples
