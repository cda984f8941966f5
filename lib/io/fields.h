// Access to the fields of a record while it is prepared.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "io/record.h"
#include "json/json.h"

namespace bert::io {

// Default name of the field with the second text of a pair.
inline constexpr std::string_view kPairField = "text_pair";

// Calls `read` and prefixes the message of its Error with `field "name" `.
template <class Read>
auto named(std::string_view name, Read read) {
  try {
    return read();
  } catch (const Error& error) {
    throw Error("field \"", name, "\" ", error.what());
  }
}

// Returned views are valid until Filter::prepare returns. Text input has one field, the text field; TSV and
// CSV have their columns, all of them strings.
class Fields {
 public:
  // For a text record, or for TSV or CSV split into `values`, which must outlive this object.
  Fields(const Source& source, std::span<const std::string_view> values) : source_(source), values_(values) {}
  // For a JSON record; `object` is a JSON object.
  Fields(const Source& source, json::Value object) : source_(source), object_(object) {}

  // The field's text; nullopt if the record does not have the field. Error if the value is not a string
  // (`field "text" is a number, expected a string`) or the key is repeated.
  std::optional<std::string_view> text(std::string_view name) const;
  std::optional<std::string_view> text_unless_null(std::string_view name) const;  // nullopt also for null
  // The second text of a pair; nullopt if there is none. A TSV or CSV record must have the column (Error as
  // in required_text) unless `name` is kPairField, the default.
  std::optional<std::string_view> pair_text(std::string_view name) const;
  // Error `field "text" is missing` if the record does not have it; for TSV and CSV the message lists the
  // columns.
  std::string_view required_text(std::string_view name) const;

  // Any value; always nullopt for text, TSV and CSV.
  std::optional<json::Value> json(std::string_view name) const;
  // Error also if the record has the field as text.
  json::Value required(std::string_view name) const;

  // Values of one type; the fields must exist unless the result is optional.
  std::string label(std::string_view name) const;  // a text, or an integer as text
  double number(std::string_view name) const;      // finite; also a text that is a number
  std::optional<int64_t> integer(std::string_view name) const;
  std::vector<std::string_view> strings(std::string_view name) const;
  std::vector<int32_t> integers(std::string_view name) const;
  std::optional<std::vector<int32_t>> find_integers(std::string_view name) const;

  // All fields of a JSON record in order; empty for text, TSV and CSV.
  std::vector<std::pair<std::string_view, json::Value>> members() const;

 private:
  const Source& source_;
  std::span<const std::string_view> values_;
  std::optional<json::Value> object_;
};

}  // namespace bert::io
