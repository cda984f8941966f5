#include "io/missing_field.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "base/option.h"
#include "base/spelling.h"
#include "json/json.h"

namespace bert::io {
namespace {

std::string names_text(std::span<const std::string> names) {
  constexpr size_t kNamed = 8;
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), kNamed); ++i)
    text += (i > 0 ? ", " : "") + json::in_quotes(names[i]);
  return names.size() > kNamed ? text + ", ..." : text;
}

// What to type.
std::string advice(std::string_view name, std::span<const std::string> names,
                   std::span<const FieldOption> options) {
  const auto found = std::ranges::find(options, name, &FieldOption::field);
  if (found == options.end()) {
    const auto nearest = nearest_name(name, names);
    return (nearest.empty() ? "" : "; rename " + json::in_quotes(nearest)) + origin_of(name);
  }
  const auto nearest = nearest_name(name, names);
  if (nearest.empty()) return names.empty() ? "" : ": name one with " + found->option;
  return "; did you mean " + found->option + " " + shell_word(nearest) + "?";
}

// The other name of the field, which the record does not have either; else "".
std::string alias_text(std::string_view name, std::span<const FieldAlias> aliases, const char* lacks) {
  const auto alias = std::ranges::find(aliases, name, &FieldAlias::field);
  return alias == aliases.end() ? "" : lacks + json::in_quotes(alias->name) + alias->origin;
}

// Whether the first line of a table looks like one of its rows.
bool is_like_values(std::span<const std::string> columns) {
  constexpr size_t kLongName = 40;
  return std::ranges::any_of(columns, [](const std::string& name) {
    double number = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    return name.size() > kLongName || (error == std::errc() && end == name.data() + name.size());
  });
}

std::string rows_by(std::string_view filter) {
  return Error("; the rows of this table become records with jq -c '", filter,
               "', or in pandas with to_json(orient=\"records\", lines=True)")
      .what();
}

// What to type if the record is a whole table as other programs write it; else "".
std::string advice_for_frame(std::span<const std::string> fields, bool of_rows) {
  // The forms of DataFrame.to_json(), and what the Hub's server of datasets sends.
  struct Frame {
    std::array<std::string_view, 2> fields;
    std::string_view filter;
  };
  constexpr Frame kFrames[] = {
      {{"columns", "data"}, ".columns as $c | .data[] | with_entries(.key |= $c[.])"},
      {{"schema", "data"}, ".data[]"},
      {{"features", "rows"}, ".rows[].row"},
      {{"0", "1"}, ".[]"}};
  const auto has = [&](std::string_view field) { return std::ranges::find(fields, field) != fields.end(); };
  for (const auto& frame : kFrames)
    if (std::ranges::all_of(frame.fields, has) && (of_rows || frame.fields[0] != "0"))
      return rows_by(frame.filter);
  return "";
}

}  // namespace

std::string origin_of(std::string_view name) {
  static const std::pair<std::string_view, std::string> kOrigins[] = {
      {"input_ids", "bert-tokenize"},
      {"sentences", "bert-tokenize " + opt::sentences},
      {"embedding", "bert-embed"},
      {"prediction", "bert-predict"},
      {"next_sentence_label", "bert-nsp-pairs"},
      {"masked_lm_positions", "bert-mask"}};
  const auto found = std::ranges::find(kOrigins, name, &std::pair<std::string_view, std::string>::first);
  return found == std::end(kOrigins) ? "" : "; " + found->second + " adds it";
}

std::string advice_for_columns() {
  return rows_by(". as $t | first(.[]) | keys_unsorted[] as $i | $t | map_values(.[$i])");
}

MissingColumn::MissingColumn(std::string_view name, std::span<const std::string> columns,
                             std::span<const FieldOption> options, std::span<const FieldAlias> aliases)
    : Error("has no column ", json::in_quotes(name), alias_text(name, aliases, " nor "),
            columns.size() == 1 ? "; the only column is " : "; the columns are ", names_text(columns),
            is_like_values(columns) ? "; if this line is a record, name its columns with " + opt::columns
                                    : advice(name, columns, options)) {}

MissingField::MissingField(std::string_view name, std::span<const std::string> fields,
                           std::span<const FieldOption> options, bool of_rows,
                           std::span<const FieldAlias> aliases)
    : Error("field ", json::in_quotes(name), " is missing", alias_text(name, aliases, ", and so is "),
            "; the record has ", fields.empty() ? "no fields" : names_text(fields),
            advice_for_frame(fields, of_rows).empty() ? advice(name, fields, options)
                                                      : advice_for_frame(fields, of_rows)) {}

std::optional<std::string> FieldUse::warning() const {
  if (found_ || !absent_) return std::nullopt;
  const std::lock_guard lock(mutex_);
  return option_ + ": no record has the field " + json::in_quotes(name_) + did_you_mean(name_, names_);
}

std::optional<std::string> FieldUse::warning_of_some() const {
  if (!found_ || !absent_) return std::nullopt;
  return "some records have no field " + json::in_quotes(name_) +
         "; their number stands for it, which may be that of another record";
}

std::optional<std::string> FieldUse::warning_of_case() const {
  if (found_ || !absent_) return std::nullopt;
  const std::lock_guard lock(mutex_);
  const auto meant =
      std::ranges::find_if(names_, [&](const auto& name) { return lower_case(name) == name_; });
  if (meant == names_.end()) return std::nullopt;
  return "no record has the field " + json::in_quotes(name_) + "; did you mean " + option_ + " " + *meant +
         "?";
}

}  // namespace bert::io
