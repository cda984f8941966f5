#include "io/table_header.h"

#include <algorithm>
#include <cctype>

#include "base/error.h"
#include "base/option.h"
#include "base/spelling.h"
#include "io/csv.h"
#include "io/line_cutter.h"
#include "json/json.h"
#include "json/utf8.h"

namespace bert::io {
namespace {

constexpr std::string_view kSeparator = "sep=", kQuotedSeparator = "\"sep=";

bool is_name(std::string_view cell) {
  constexpr size_t kMostBytes = 40;
  if (cell.size() > kMostBytes || is_white(cell.front()) || is_white(cell.back())) return false;
  constexpr std::string_view kMarks = "_-#()/ .";
  const bool usual = std::all_of(cell.begin(), cell.end(), [&](char c) {
    return static_cast<signed char>(c) < 0 || std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           kMarks.find(c) != std::string_view::npos;
  });
  constexpr size_t kAbbreviation = 5;  // "Nr."
  const bool begins = std::isdigit(static_cast<unsigned char>(cell.front())) == 0 && cell.front() != '-';
  return usual && begins && (cell.back() != '.' || cell.size() <= kAbbreviation);
}

// The first of the usual delimiters that divides the line into several columns, for which the rule holds.
template <class Holds>
std::optional<LikelyHeader> first_split(const std::string& line, Holds holds) {
  if (!json::is_utf8(line)) return std::nullopt;
  for (const char delimiter : {'\t', ';', '|', ','}) {
    if (line.find(delimiter) == std::string::npos) continue;
    try {
      LikelyHeader header = {.delimiter = delimiter,
                             .columns = column_names(InputFormat::csv, delimiter, line)};
      if (header.columns.size() > 1 && holds(header)) return header;
    } catch (const Error&) {  // text with quotes
    }
  }
  return std::nullopt;
}

// The cells of the first line; none if there is no line, or it is text with quotes.
std::vector<std::string> columns_of_first(Input& input, InputFormat table, char delimiter) {
  const auto lines = first_lines(input, 1);
  if (lines.empty()) return {};
  try {
    return column_names(table, delimiter, lines.front());
  } catch (const Error&) {
    return {};
  }
}

bool has_one(const std::vector<std::string>& columns, const std::vector<std::string>& fields) {
  return std::ranges::find_first_of(columns, fields) != columns.end();
}

}  // namespace

std::vector<std::string> split(std::string_view line, char separator) {
  std::vector<std::string> names;
  for (size_t end; (end = line.find(separator)) != std::string_view::npos; line.remove_prefix(end + 1))
    names.emplace_back(line.substr(0, end));
  names.emplace_back(line);
  return names;
}

std::vector<std::string> column_names(InputFormat table, char delimiter, const std::string& header) {
  return table == InputFormat::csv ? split(csv_cells(header, delimiter), kCellEnd) : split(header, '\t');
}

std::string_view first_record(Input& input, InputFormat table, char delimiter) {
  CsvScanner csv(delimiter);
  for (size_t searched = 0;;) {
    const auto text = input.unread();
    const size_t line_end = text.find('\n', searched);
    const size_t end = table == InputFormat::csv ? csv.record_end(text, searched)
                       : line_end == text.npos   ? line_end
                                                 : line_end + 1;
    searched = text.size();
    if (end != text.npos || !input.read_more()) return input.unread().substr(0, end);
  }
}

std::optional<char> delimiter_beside_quotes(std::string_view header) {
  for (const char delimiter : {',', '\t', ';', '|'})
    if (header.find(std::string{'"', delimiter}) != header.npos ||
        header.find(std::string{delimiter, '"'}) != header.npos)
      return delimiter;
  return std::nullopt;
}

void require_different(const std::vector<std::string>& columns) {
  for (auto name = columns.begin(); name != columns.end(); ++name)
    if (!name->empty() && std::find(columns.begin(), name, *name) != name)
      throw Error("column \"", *name, "\" appears twice; give one another name");
}

bool is_header(Input& input, InputFormat table, const std::vector<std::string>& fields, char delimiter) {
  const auto columns = columns_of_first(input, table, delimiter);
  return columns.size() > 1 && has_one(columns, fields);
}

bool is_row_of(Input& input, InputFormat table, const std::vector<std::string>& fields, char delimiter,
               size_t columns) {
  if (columns == 0) return false;
  const auto found = columns_of_first(input, table, delimiter);
  return found.size() == columns && !has_one(found, fields) &&
         !has_usual_name({.delimiter = delimiter, .columns = found});
}

std::optional<InputFormat> table_of_text(Input& input, std::optional<InputFormat> by_suffix,
                                         const std::vector<std::string>& fields, const UsualForm& usual) {
  using enum InputFormat;
  if (by_suffix.value_or(text) != text && by_suffix != tsv) return std::nullopt;
  if (first_marks(input) == "{") return std::nullopt;
  const auto columns = usual.columns.size();
  if (usual.delimiter && (is_header(input, csv, fields, *usual.delimiter) ||
                          (columns > 1 && is_row_of(input, csv, fields, *usual.delimiter, columns))))
    return csv;
  if (by_suffix == tsv) return tsv;
  if (columns > 1 && is_row_of(input, tsv, fields, '\t', columns)) return tsv;
  std::vector<std::string> names;
  for (const auto& alias : usual.fields) names.push_back(alias.name);
  if (!by_suffix) names = fields;
  if (is_header(input, tsv, names)) return tsv;
  for (const char delimiter : {',', ';', '|'})
    if (is_header(input, csv, names, delimiter)) return csv;
  return std::nullopt;
}

bool is_any_header(Input& input, const std::vector<std::string>& fields) {
  const auto lines = first_lines(input, 1);
  if (lines.empty()) return false;
  return std::ranges::any_of(fields, [&](const std::string& field) {
    return lines.front() == field || lines.front() == '"' + field + '"' ||
           header_with(lines.front(), field).has_value();
  });
}

std::optional<char> separator_of(Input& input) {
  const auto begins_like = [](std::string_view text, std::string_view begin) {
    return begin.starts_with(lower_case(text.substr(0, begin.size())));
  };
  const auto is_begun = [&](std::string_view text) {
    return begins_like(text, kSeparator) || begins_like(text, kQuotedSeparator);
  };
  while (input.unread().size() < kQuotedSeparator.size() && is_begun(input.unread()) &&
         input.unread().find('\n') == std::string_view::npos && input.read_more()) {
  }
  if (!is_begun(input.unread())) return std::nullopt;
  const auto lines = first_lines(input, 1);
  std::string_view line = lines.empty() ? "" : std::string_view(lines.front());
  if (line.starts_with('"') && line.ends_with('"') && line.size() > 1) line = line.substr(1, line.size() - 2);
  const bool named = line.size() == kSeparator.size() + 1 && begins_like(line, kSeparator);
  return named ? std::optional(line.back()) : std::nullopt;
}

int64_t skip_empty_lines(Input& input) {
  for (int64_t count = 0;;) {
    const auto unread = input.unread();
    if (unread.size() < 2 && (unread.empty() || unread == "\r") && input.read_more()) continue;
    const size_t length = unread.starts_with('\n') ? 1 : unread.starts_with("\r\n") ? 2 : 0;
    if (length == 0) return count;
    input.consume(length);
    ++count;
  }
}

std::optional<char> take_separator(Input& input) {
  const auto separator = separator_of(input);
  if (separator) input.consume(std::min(input.unread().find('\n'), input.unread().size() - 1) + 1);
  return separator;
}

std::string LikelyHeader::advice(bool as_csv) const {
  if (as_csv)
    return delimiter == '\t' ? "use " + opt::delimiter + " tab"
                             : "use " + opt::delimiter + " '" + delimiter + '\'';
  if (delimiter == '\t') return "use " + opt::input_format + " tsv";
  if (delimiter == ',') return "use " + opt::input_format + " csv";
  return "use " + opt::delimiter + " '" + delimiter + '\'';
}

std::optional<LikelyHeader> likely_header(const std::string& line) {
  return first_split(line, [](const LikelyHeader& header) {
    const auto named = [](const std::string& cell) { return cell.empty() || is_name(cell); };
    return std::ranges::count(header.columns, "") <= 1 && std::ranges::all_of(header.columns, named);
  });
}

std::optional<LikelyHeader> header_with(const std::string& line, const std::string& field) {
  return first_split(line, [&](const LikelyHeader& header) {
    return std::ranges::find(header.columns, field) != header.columns.end();
  });
}

std::optional<LikelyHeader> other_header(const std::string& line, const std::string& next, size_t columns) {
  if (auto likely = columns == 1 ? likely_header(line) : std::nullopt) return likely;
  const auto columns_of_next = [&](char delimiter) {
    return column_names(InputFormat::csv, delimiter, next).size();
  };
  return first_split(line, [&](const LikelyHeader& header) {
    const auto count = header.columns.size();
    // As many columns are more likely only if the next line does not have them.
    const bool better =
        count > columns || (count == columns && header.delimiter != ',' && columns_of_next(',') != count);
    return better && columns_of_next(header.delimiter) == count;
  });
}

bool divides(const LikelyHeader& header, std::string_view text) {
  constexpr size_t kRecords = 3;  // the header included
  const size_t least = header.delimiter == ',' ? 3 : 2;
  size_t records = 0;
  CsvScanner csv(header.delimiter);
  for (size_t end; records < kRecords && (end = csv.record_end(text, 0)) != text.npos; ++records) {
    const auto record = without_line_end(text.substr(0, end));
    text.remove_prefix(end);
    csv = csv.fresh();
    try {
      if (split(csv_cells(record, header.delimiter), kCellEnd).size() != header.columns.size()) return false;
    } catch (const Error&) {
      return false;
    }
  }
  return records > 1 && header.columns.size() >= least;
}

bool has_usual_name(const LikelyHeader& header) {
  constexpr std::string_view kUsual[] = {
      "text",  "sentence", "sentence1",  "sentence2", "label",   "labels",  "id",    "title",    "body",
      "query", "content",  "review",     "question",  "context", "answer",  "class", "category", "score",
      "date",  "premise",  "hypothesis", "document",  "message", "comment", "tweet", "name",     "author",
      "tag",   "tags",     "word",       "words",     "rating",  "stars",   "url",   "sentiment"};
  return std::ranges::any_of(header.columns, [&](const std::string& name) {
    return std::ranges::find(kUsual, lower_case(name)) != std::end(kUsual);
  });
}

bool is_in_quotes(std::string_view cell) {
  if (cell.size() < 2 || !cell.starts_with('"') || !cell.ends_with('"')) return false;
  cell = cell.substr(1, cell.size() - 2);
  for (size_t at; (at = cell.find('"')) != cell.npos; cell.remove_prefix(at + 2))
    if (!cell.substr(at + 1).starts_with('"')) return false;
  return true;
}

bool has_quoted_cell(std::string_view row) {
  const bool begins = row.starts_with('"') || row.find("\t\"") != row.npos;
  return begins && std::ranges::any_of(split(row, '\t'), is_in_quotes);
}

std::string quoted_names(const std::vector<std::string>& columns) {
  constexpr size_t kNamed = 8;
  std::string text;
  for (size_t i = 0; i < std::min(columns.size(), kNamed); ++i)
    text += (i > 0 ? ", " : "") + json::in_quotes(columns[i]);
  return columns.size() > kNamed ? text + ", ..." : text;
}

}  // namespace bert::io
