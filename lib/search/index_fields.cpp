#include <utility>

#include "base/error.h"
#include "heads/vector_model.h"
#include "io/input_format.h"
#include "io/line_cutter.h"
#include "json/json.h"
#include "json/members.h"
#include "search/index.h"

// Fields of a record of an index.

namespace bert::search {

std::string plain(std::string_view value) {
  if (!value.starts_with('"')) return std::string(value);
  json::Document document;
  return std::string(document.parse(value).string());
}

std::vector<std::string> read_values(std::span<const std::string> names, const io::Fields& fields,
                                     const io::Record& record) {
  std::vector<std::string> values(names.size());
  if (io::is_json(record.source().format)) {
    json::Members members(record.raw());
    for (json::Members::Member member; members.next(member);) {
      const auto value = record.raw().substr(member.value_begin, member.value_end - member.value_begin);
      for (size_t i = 0; i < names.size(); ++i) {
        if (member.key != names[i]) continue;
        if (!values[i].empty()) throw Error("field \"", names[i], "\" appears twice");
        values[i] = value;
      }
    }
    for (auto& value : values) {
      if (value == "null") value.clear();
    }
    return values;
  }
  for (size_t i = 0; i < names.size(); ++i) {
    if (const auto text = fields.text(names[i])) json::append_string(values[i], *text);
  }
  return values;
}

std::optional<std::string> text_of(const io::Fields& fields, const std::string& name) {
  if (const auto text = fields.text_unless_null(name)) return std::string(*text);
  if (const auto words = fields.json("words"); words && words->is_array()) {
    std::string text;
    for (const auto word : fields.strings("words")) text.append(text.empty() ? "" : " ").append(word);
    return text;
  }
  return std::nullopt;
}

std::string required_text_of(const io::Fields& fields, const std::string& name) {
  auto text = text_of(fields, name);
  return text ? std::move(*text) : std::string(fields.required_text(name));
}

TextFields TextFields::of(std::string_view vector_model) const {
  const auto fields = heads::fields_of(vector_model);
  if (fields.empty()) return *this;
  return {.text = fields.front(), .pair = fields.size() > 1 ? fields[1] : pair};
}

bool has_empty_text(const io::Fields& fields, const TextFields& names) {
  const auto is_empty = [&](const std::string& name) -> std::optional<bool> {
    const auto value = fields.json(name);
    if (value && value->kind() != json::Value::Kind::string) return std::nullopt;
    const auto text = fields.text(name);
    return text ? std::optional(io::is_blank(*text)) : std::nullopt;
  };
  auto text = is_empty(names.text);
  if (!text && !fields.has(names.text)) text = is_empty(std::string(io::kTextField));
  return text == true && is_empty(names.pair).value_or(true);
}

}  // namespace bert::search
