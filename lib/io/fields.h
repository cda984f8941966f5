// The fields of one record while it is prepared.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "io/json.h"
#include "io/record.h"

namespace bert::io {

// Where the second text of a pair is looked for unless another field is asked for.
inline constexpr std::string_view kPairField = "text_pair";

// Runs `read` with `field "name" ` in front of its Error.
template <class Read>
auto named(std::string_view name, Read read) {
  try {
    return read();
  } catch (const Error& error) {
    throw Error("field \"", name, "\" ", error.what());
  }
}

// The views end with the call of Filter::prepare. Text input has one field, the text field; TSV has its
// columns, all of them strings.
class Fields {
 public:
  // Of a text record, or of TSV cut into `values`; `values` outlive this object.
  Fields(const Source& source, std::span<const std::string_view> values) : source_(source), values_(values) {}
  // Of a JSON record, an object.
  Fields(const Source& source, Json object) : source_(source), object_(object) {}

  // The field's text; nullopt when the record has none. Error (`field "text" is a number, expected a string`)
  // otherwise, and when the key stands twice.
  std::optional<std::string_view> text(std::string_view name) const;
  std::optional<std::string_view> text_unless_null(std::string_view name) const;  // nullopt for null, too
  // The second text of a pair; nullopt when there is none. A record of TSV has the column, by the same Error
  // as required_text's, unless `name` is kPairField, which nobody may have asked for.
  std::optional<std::string_view> pair_text(std::string_view name) const;
  // Error `field "text" is missing`, of TSV with the columns there are.
  std::string_view required_text(std::string_view name) const;
  std::optional<Json> json(std::string_view name) const;  // any value; always nullopt for text and TSV
  // All fields of a JSON record in their order; none of text and TSV.
  std::vector<std::pair<std::string_view, Json>> members() const;

 private:
  const Source& source_;
  std::span<const std::string_view> values_;
  std::optional<Json> object_;
};

}  // namespace bert::io
