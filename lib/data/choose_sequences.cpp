#include "data/choose_sequences.h"

#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"

namespace bert::data {
namespace {

std::vector<io::Json> choices_of(const io::Fields& fields) {
  const auto array = fields.json("choices");
  if (!array) throw Error("field \"choices\" is missing");
  if (array->kind() != io::Json::Kind::array)
    throw Error("field \"choices\" is ", array->kind_name(), ", expected an array of strings");
  auto choices = array->elements();
  if (choices.empty()) throw Error("field \"choices\" is empty, choose needs at least one");
  for (size_t i = 0; i < choices.size(); ++i) {
    if (choices[i].kind() != io::Json::Kind::string)
      throw Error("field \"choices\": element ", i, " is ", choices[i].kind_name(), ", expected a string");
  }
  return choices;
}

}  // namespace

std::vector<ChooseSequence> choose_sequences(const Featurizer& featurizer, const io::Fields& fields) {
  const std::string_view text = fields.required_text(featurizer.options().text_field);
  std::string before(fields.text_unless_null("question").value_or(""));
  if (!before.empty()) before += ' ';
  std::vector<ChooseSequence> sequences;
  int32_t number = 0;
  for (const io::Json& choice : choices_of(fields)) {
    for (Features& features : featurizer.windows(text, before + std::string(choice.string()))) {
      sequences.push_back({.features = std::move(features), .choice = number});
    }
    ++number;
  }
  return sequences;
}

}  // namespace bert::data
