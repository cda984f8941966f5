#include "io/record.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/error.h"
#include "base/option.h"
#include "io/table_header.h"

namespace bert::io {
namespace {

std::string_view without_spaces(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

std::optional<double> number_of(std::string_view digits) {
  double number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size() || !std::isfinite(number))
    return std::nullopt;
  return number;
}

// 1,234,567
bool is_in_thousands(std::string_view number) {
  if (number.starts_with('-')) number.remove_prefix(1);
  const auto first = number.substr(0, number.find(','));
  if (first.empty() || first.size() > 3 || first == "0" || first == number) return false;
  for (auto rest = number.substr(first.size()); !rest.empty(); rest.remove_prefix(4))
    if (rest.size() < 4 || rest[0] != ',' || rest.find_first_not_of("0123456789", 1) < 4) return false;
  return first.find_first_not_of("0123456789") == first.npos;
}

// How to write a number with a decimal comma or commas between thousands.
std::string with_point(std::string_view digits) {
  std::string number(without_spaces(digits)), whole = number;
  std::ranges::replace(number, ',', '.');
  if (number_of(number) && !is_in_thousands(whole)) return " with a point: " + number;
  if (!is_in_thousands(whole)) return "";
  std::erase(whole, ',');
  return number_of(number) ? ": " + whole + ", or " + number + " with a point" : ": " + whole;
}

// "B-PER"
bool is_prefixed_tag(const std::string& column) { return column.size() > 2 && is_entity_tag(column); }

// Throws Error for a column of a whole table: {"text": {"0": "a", "1": "b"}}.
void refuse_column(std::string_view name, const json::Value& value) {
  if (value.kind() == json::Value::Kind::object && value.find("0"))
    throw Error("field \"", name, "\" has all rows of a column", advice_for_columns());
}

}  // namespace

std::string Record::where() const { return file() + ":" + std::to_string(line_); }

std::string_view Fields::own_name(std::string_view name) const {
  for (const auto& alias : source_.aliases) {
    if (alias.field != name) continue;
    const bool has = object_ ? object_->find(alias.name).has_value()
                             : std::ranges::find(source_.columns, alias.name) != source_.columns.end();
    if (has) return alias.name;
  }
  return name;
}

std::optional<std::string_view> Fields::text(std::string_view name) const {
  name = own_name(name);
  if (object_) {
    const auto value = json(name);
    if (!value) return std::nullopt;
    refuse_column(name, *value);
    return named(name, [&] { return value->string(); });
  }
  for (size_t i = 0; i < values_.size(); ++i) {
    if (source_.columns[i] != name) continue;
    if (name == "words" && values_[i].starts_with("[\"") && values_[i].ends_with("\"]"))
      throw Error("field \"words\" is an array in a table, but is only read from JSONL");
    return values_[i];
  }
  return std::nullopt;
}

std::optional<std::string_view> Fields::text_unless_null(std::string_view name) const {
  const auto value = json(name);
  if (value && value->is_null()) return std::nullopt;
  return text(name);
}

std::optional<std::string_view> Fields::pair_text(std::string_view name) const {
  if (name.empty()) return std::nullopt;
  const bool asked_for = is_table(source_.format) && name != kPairField;
  const auto pair = asked_for ? required_text(name) : text_unless_null(name);
  if (source_.pair_use != nullptr) {
    if (pair || json(name)) {
      source_.pair_use->found();
    } else {
      source_.pair_use->absent([this] { return names(); });
    }
  }
  return pair;
}

std::string_view Fields::required_text(std::string_view name) const {
  if (const auto value = text(name)) return *value;
  fail_missing(name);
}

void Fields::fail_missing(std::string_view name) const {
  if (is_table(source_.format) && std::ranges::any_of(source_.columns, is_prefixed_tag))
    throw Error("has no column ", json::in_quotes(name), "; the columns are ", quoted_names(source_.columns),
                ", a word with its tag: ", opt::input_format, " conll reads a word per line");
  if (is_table(source_.format))
    throw MissingColumn(name, source_.columns, source_.field_options, source_.aliases);
  if (!object_)
    throw Error(
        "field \"", name, "\" is missing: the input is read as text, which has only ",
        json::in_quotes(source_.columns.front()),
        origin_of(name).empty() ? "; " + opt::input_format + " selects another format" : origin_of(name));
  if (is_tagged(source_.format) && name == "tags")
    throw Error(source_.conll.word == 0
                    ? "has only one column, the words; no tags"
                    : "has its words in the last column; name the one of the tags with " + opt::tag_column);
  const auto first = json("0");
  throw MissingField(name, names(), source_.field_options,
                     first && first->kind() == json::Value::Kind::object, source_.aliases);
}

void Fields::fail_without_words() const {
  if (is_table(source_.format))
    throw Error("is a row of a table, but words with tags are only read from CoNLL and JSONL; ",
                opt::input_format, " conll reads a word and its tag per line");
  for (const auto& [name, value] : members())
    if (value.is_array() && !name.ends_with("tags") && name != "input_ids" && name != "entities")
      throw Error("field \"words\" is missing; did you mean ", opt::text_field, " ", name, "?");
  if (has("entities"))
    throw Error(
        "field \"words\" is missing; taggers learn from words and a tag for each, not from \"entities\"");
  fail_missing("words");
}

std::vector<std::string> Fields::names() const {
  if (!object_) return source_.columns;
  std::vector<std::string> names;
  for (const auto& [key, value] : members()) names.emplace_back(key);
  if (row_) names.emplace_back("embedding");
  return names;
}

std::optional<json::Value> Fields::json(std::string_view name) const {
  if (!object_) return std::nullopt;
  name = own_name(name);
  return named(name, [&] { return object_->find_only(name); });
}

bool Fields::has(std::string_view name) const {
  if (object_) return json(name).has_value();
  return std::ranges::find(source_.columns, own_name(name)) != source_.columns.end();
}

std::optional<json::Value> Fields::json_only(std::string_view name) const {
  if (!object_ && is_table(source_.format) && text(name))
    throw Error("field \"", name, "\" is in a table, but is only read from JSONL; ", opt::text_field,
                " names the text to read instead");
  return json(name);
}

json::Value Fields::required(std::string_view name) const {
  if (const auto value = json(name)) return *value;
  if (!text(name)) fail_missing(name);
  if (is_table(source_.format))
    throw Error("field \"", name, "\" is in a table, but is only read from JSONL");
  throw Error("field \"", name, "\" is text, expected JSON");
}

std::string Fields::label(std::string_view name) const {
  name = own_name(name);
  const auto value = json(name);
  if (!value) return std::string(required_text(name));
  refuse_column(name, *value);
  return named(name, [&] { return value->label(); });
}

void require_label(std::string_view field, std::string_view label) {
  if (label.find_first_not_of(" \t\r\n") == label.npos)
    throw Error("field \"", field, "\" has ", label.empty() ? "an empty" : "a blank", " label");
}

namespace {

// An array as OutputFields writes it into a table.
bool is_array_in_cell(std::string_view text) { return text == "[]" || text.starts_with("[\""); }

}  // namespace

std::vector<std::string> Fields::texts(std::string_view name) const {
  const auto elements_of = [&](const json::Value& array) {
    return named(name, [&] {
      const auto strings = array.strings();
      return std::vector<std::string>(strings.begin(), strings.end());
    });
  };
  if (const auto value = json(name); value && value->kind() != json::Value::Kind::string)
    return elements_of(*value);
  const auto text = required_text(name);
  if (object_) return {std::string(text)};
  if (text.empty()) return {};
  if (!is_array_in_cell(text)) return {std::string(text)};
  json::Document document;
  return elements_of(named(name, [&] { return document.parse(text); }));
}

std::vector<std::string> Fields::labels(std::string_view name) const {
  name = own_name(name);
  const auto elements_of = [&](const json::Value& array) {
    return named(name, [&] {
      std::vector<std::string> labels;
      for (const auto& element : array.elements()) labels.push_back(element.label());
      return labels;
    });
  };
  if (const auto value = json(name); value && value->kind() != json::Value::Kind::string)
    return elements_of(*value);
  const auto text = required_text(name);
  if (is_array_in_cell(text)) {
    json::Document document;
    return elements_of(named(name, [&] { return document.parse(text); }));
  }
  auto labels = split(text, ',');
  if (labels.back().empty()) labels.pop_back();
  return labels;
}

double Fields::number(std::string_view name) const {
  name = own_name(name);
  const auto value = json(name);
  if (value && value->kind() != json::Value::Kind::string)
    return named(name, [&] { return value->number(); });
  const auto digits = required_text(name);
  if (const auto number = number_of(object_ ? digits : without_spaces(digits))) return *number;
  throw Error("field \"", name, "\" is \"", digits, "\", expected a number", with_point(digits));
}

std::optional<int64_t> Fields::integer(std::string_view name) const {
  const auto value = json(name);
  if (!value) return std::nullopt;
  return named(name, [&] { return value->integer(); });
}

std::vector<std::string_view> Fields::strings(std::string_view name) const {
  const auto array = required(name);
  return named(name, [&] { return array.strings(); });
}

std::vector<int32_t> Fields::integers(std::string_view name) const {
  const auto array = required(name);
  return named(name, [&] { return array.integers(); });
}

std::optional<std::vector<int32_t>> Fields::find_integers(std::string_view name) const {
  return json(name) ? std::optional(integers(name)) : std::nullopt;
}

std::vector<std::pair<std::string_view, json::Value>> Fields::members() const {
  if (!object_) return {};
  return object_->members();
}

std::optional<std::pair<std::string, json::Value>> Fields::words(const std::string& asked) const {
  if (asked == kTextField) {
    if (const auto words = json("words")) return std::pair("words", *words);
  }
  const auto array = json(asked);
  if (!array || !array->is_array()) return std::nullopt;
  return std::pair(asked, *array);
}

const Context& Fields::context() const {
  if (!context_->failure.empty()) throw Error(context_->failure);
  return *context_;
}

size_t index_of_choice(std::string_view field, std::string_view label, size_t choices) {
  size_t index = 0;
  const auto [end, error] = std::from_chars(label.data(), label.data() + label.size(), index);
  if (error == std::errc() && end == label.data() + label.size() && index < choices) return index;
  const bool integer = !label.empty() && label.find_first_not_of("-0123456789") == label.npos;
  throw Error("field \"", field, "\" is ", integer ? std::string(label) : json::in_quotes(label),
              ", expected the index of one of ", counted(choices, "choice", "choices"));
}

}  // namespace bert::io
