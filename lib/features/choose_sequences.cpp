#include "features/choose_sequences.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "features/given_ids.h"

namespace bert::features {
namespace {

std::vector<std::string_view> choices_of(const io::Fields& fields) {
  auto choices = fields.strings("choices");
  if (choices.empty()) throw Error("field \"choices\" is empty, choose needs at least one");
  return choices;
}

// Records of OpenBookQA, ARC and CommonsenseQA, as published and as in Hugging Face's data sets.
void refuse_foreign(const io::Fields& fields) {
  const auto is_object = [](const std::optional<json::Value>& value) {
    return value && value->kind() == json::Value::Kind::object;
  };
  const char* texts = nullptr;
  std::string choices;
  if (const auto question = fields.json("question"); is_object(question) && question->find("choices")) {
    texts = ".question.stem, choices: [.question.choices[].text]";
    choices = "[.question.choices[].label]";
  } else if (const auto given = fields.json("choices"); is_object(given) && given->find("label")) {
    texts = fields.json("question_stem") ? ".question_stem, choices: .choices.text"
                                         : ".question, choices: .choices.text";
    choices = ".choices.label";
  } else {
    return;
  }
  throw Error(
      "has its choices in an object; make records for choose with jq -c '.answerKey as $key | {id, text: ",
      texts, ", label: (", choices, " | index($key))}'");
}

std::vector<json::Value> arrays_of(std::string_view field, const json::Value& array) {
  return io::named(field, [&] { return array.elements(); });
}

// Reads the ids of each choice, [[…], […]]; messages number choices from 0.
std::vector<ChooseSequence> given_sequences(const Featurizer& featurizer, const json::Value& input_ids,
                                            const std::optional<json::Value>& token_type_ids) {
  constexpr auto kIds = "input_ids", kTypes = "token_type_ids";
  const auto ids = arrays_of(kIds, input_ids);
  if (ids.empty()) throw Error("field \"input_ids\" is empty, choose needs at least one choice");
  std::vector<json::Value> types;
  if (token_type_ids) types = arrays_of(kTypes, *token_type_ids);
  if (token_type_ids && types.size() != ids.size())
    throw Error("field \"token_type_ids\" has ", counted(types.size(), "value", "values"), ", input_ids has ",
                ids.size());
  std::vector<ChooseSequence> sequences;
  for (size_t i = 0; i < ids.size(); ++i) {
    try {
      std::optional<std::vector<int32_t>> own_types;
      if (token_type_ids) own_types = io::named(kTypes, [&] { return types[i].integers(); });
      auto whole = features_of_ids(featurizer.tokenizer(), io::named(kIds, [&] { return ids[i].integers(); }),
                                   std::move(own_types));
      for (Features& features : featurizer.windows(std::move(whole)))
        sequences.push_back({.features = std::move(features), .choice = static_cast<int32_t>(i)});
    } catch (const Error& error) {
      throw Error("choice ", i, ": ", error.what());
    }
  }
  return sequences;
}

}  // namespace

std::vector<ChooseSequence> choose_sequences(const Featurizer& featurizer, const io::Fields& fields) {
  if (featurizer.takes_ids(fields))
    return given_sequences(featurizer, *fields.json("input_ids"), fields.json("token_type_ids"));
  refuse_foreign(fields);
  const std::string_view text = fields.required_text(featurizer.options().text_field);
  std::string before(fields.text_unless_null("question").value_or(""));
  if (!before.empty()) before += ' ';
  std::vector<ChooseSequence> sequences;
  int32_t number = 0;
  for (const std::string_view choice : choices_of(fields)) {
    for (Features& features : featurizer.windows(text, before + std::string(choice))) {
      sequences.push_back({.features = std::move(features), .choice = number});
    }
    ++number;
  }
  return sequences;
}

}  // namespace bert::features
