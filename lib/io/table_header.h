// The header lines of tables, and first lines of other input that look like one.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/input.h"
#include "io/input_format.h"
#include "io/record.h"

namespace bert::io {

std::vector<std::string> split(std::string_view line, char separator);

// The names in the header line of a table. Throws Error like csv_cells().
std::vector<std::string> column_names(InputFormat table, char delimiter, const std::string& header);

// The first record of a table, unread, with its line end.
std::string_view first_record(Input& input, InputFormat table, char delimiter);

// The usual delimiter that is beside a quote: `"id";"name"`; the comma, if several are.
std::optional<char> delimiter_beside_quotes(std::string_view header);

// Throws Error if two columns have one name. Several may have none.
void require_different(const std::vector<std::string>& columns);

// Whether the first line is the header of such a table, with one of the fields and at least another column.
bool is_header(Input& input, InputFormat table, const std::vector<std::string>& fields, char delimiter = ',');
// Whether it is probably a record instead, of a table with this number of columns.
bool is_row_of(Input& input, InputFormat table, const std::vector<std::string>& fields, char delimiter,
               size_t columns);
// Whether input that is not called a table, or TSV, is one: its first line is a header with one of the
// fields, in ".txt" one of the usual ones, or a record of the usual columns.
std::optional<InputFormat> table_of_text(Input& input, std::optional<InputFormat> by_suffix,
                                         const std::vector<std::string>& fields, const UsualForm& usual);
// Whether the first line is a header with any of the usual delimiters, or of a single column.
bool is_any_header(Input& input, const std::vector<std::string>& fields);

// Consumes empty lines; returns their number.
int64_t skip_empty_lines(Input& input);

// The delimiter, if the first line is Excel's "sep=;", in any case.
std::optional<char> separator_of(Input& input);
std::optional<char> take_separator(Input& input);  // consumes the line, too

// A line that is probably a header: several short names.
struct LikelyHeader {
  char delimiter;
  std::vector<std::string> columns;

  // `use --delimiter ';'`; of TAB and comma the format, unless the input was read as CSV.
  std::string advice(bool as_csv = false) const;
};
std::optional<LikelyHeader> likely_header(const std::string& line);
// The same for a line with a column of this name.
std::optional<LikelyHeader> header_with(const std::string& line, const std::string& field);
// The same for the header of CSV, if it is not `columns`, into which commas divide it: more columns, or as
// many that commas do not find in `next`, the line below it; and as many there.
std::optional<LikelyHeader> other_header(const std::string& line, const std::string& next, size_t columns);
// Whether the records below it, of `text`, have as many columns. A text may have a few such delimiters, too.
bool divides(const LikelyHeader& header, std::string_view text);
// Whether one of the columns has a usual name, such as "label". Other lines with commas may be text.
bool has_usual_name(const LikelyHeader& header);

bool is_in_quotes(std::string_view cell);  // as in CSV: quotes inside are written twice
// Whether a record of TSV has such a cell.
bool has_quoted_cell(std::string_view row);

std::string quoted_names(const std::vector<std::string>& columns);  // `"id", "text"`

}  // namespace bert::io
