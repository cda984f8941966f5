#include "io/text_check.h"

#include <algorithm>

#include "base/error.h"
#include "base/option.h"
#include "io/missing_field.h"
#include "io/table_header.h"
#include "json/json.h"
#include "json/utf8.h"

namespace bert::io {
namespace {

constexpr size_t kShown = 40;  // bytes of the first line

bool reads(const StreamOptions& options, InputFormat format) {
  return std::ranges::find(options.more, format) != options.more.end();
}

std::string shown(std::string_view line) {
  return json::in_quotes(json::repair_utf8(line.substr(0, kShown)));
}

// The format of a table of one column: texts have commas, which divide columns of CSV unless they are quoted.
std::string format_of_one_column(const Input& input) {
  const auto text = input.unread();
  return text.find(',') != text.npos && text.find('"') == text.npos ? "tsv" : "csv";
}

// The first line is `line`, and an option names a field.
void require_table(const Input& input, const StreamOptions& options, const std::string& line,
                   const std::string& field) {
  auto header = likely_header(line);
  if (const auto named = header_with(line, field)) header = named;
  if (line == field)
    throw Error(input.name(), ":1: is a header of one column, ", json::in_quotes(field), "; use ",
                opt::input_format, " ", format_of_one_column(input));
  if (!header)
    throw Error(input.name(), ":1: is neither JSON nor a header of columns, but ", options.table_option,
                " names a field; it is ", shown(line), "; ", opt::input_format,
                " text reads each line as a text");
  if (std::ranges::find(header->columns, field) != header->columns.end())
    throw Error(input.name(), ":1: is a header of columns ", quoted_names(header->columns), "; ",
                header->advice());
  throw Error(input.name(), ":1: ", MissingColumn(field, header->columns, options.field_options).what());
}

// Records of the input have fields, but its first line, `line`, is no header with one of them.
[[noreturn]] void refuse_text(const Input& input, const StreamOptions& options, const std::string& line,
                              const std::string& field) {
  if (const auto header = likely_header(line))
    throw Error(input.name(), ":1: ", MissingColumn(field, header->columns, options.field_options).what());
  throw Error(input.name(), ":1: is neither JSON nor a header with the column ", json::in_quotes(field),
              ", but ", shown(line), origin_of(field));
}

}  // namespace

void check_text(Input& input, const StreamOptions& options, const std::vector<std::string>& header_fields) {
  if (reads(options, InputFormat::conll) && (options.word_column || options.tag_column))
    throw Error(input.name(), ": is not CoNLL, but ",
                options.word_column ? opt::word_column : opt::tag_column, " names one of its columns; ",
                opt::input_format, " conll reads it as such");
  const auto lines = first_lines(input, 1);
  if (lines.empty()) return;
  const auto& line = lines.front();
  const auto& field = header_fields.front();
  if (options.no_texts) refuse_text(input, options, line, field);
  if (!options.table_option.empty()) require_table(input, options, line, field);
  const auto looks = [&](const std::string& columns, const std::string& advice) {
    if (options.note)
      options.note(input.name() +
                   ": is read as text, but its first line looks like the header of a table with the " +
                   columns + "; to read a table, " + advice);
  };
  const auto rest = input.unread().substr(input.unread().find(line) + line.size());
  const bool goes_on = rest.find_first_not_of("\r\n") != rest.npos;
  if (goes_on && std::ranges::find(header_fields, line) != header_fields.end())
    return looks("column " + json::in_quotes(line),
                 "use " + opt::input_format + " " + format_of_one_column(input));
  const auto header = likely_header(line);
  if (header && (header->delimiter == '\t' || has_usual_name(*header) || divides(*header, input.unread())))
    looks("columns " + quoted_names(header->columns), header->advice() + " and " + opt::text_field);
}

void check_conll(Input& input, const StreamOptions& options, const Source& source) {
  const bool reads_conllu = reads(options, InputFormat::conllu);
  const auto& read = source.conll;
  if (reads_conllu && read.tag == read.word)
    throw Error(input.name(), ": the words and the tags are both read from column ", read.word + 1,
                "; name others with ", opt::word_column, " and ", opt::tag_column);
  if (read.universal) return;
  if (!options.word_column && reads_conllu && is_conllu(input))
    throw Error(input.name(), ": has the ten columns of CoNLL-U; use ", opt::input_format, " conllu");
  if (!options.word_column && reads_conllu && is_conllu_plus(input))
    throw Error(input.name(), ": its first line names the columns of CoNLL-U Plus; use ", opt::input_format,
                " conllu");
  if (is_conll_header(read.row))
    throw Error(input.name(), ": its first line, ", shown(read.row),
                ", looks like a header, which CoNLL does not have; remove it");
  const bool words_matter = !options.no_texts;
  if (words_matter && !options.word_column && read.word == 0 && is_numbered_conll(input) && options.note)
    options.note(input.name() +
                 ": its first column has the numbers 1, 2, ..., which are read as the words; name the column "
                 "of the words with " +
                 opt::word_column);
}

std::optional<int64_t> line_of_json(const Chunk& chunk) {
  const std::string_view data(chunk.data.data(), chunk.data_size);
  const auto found = std::ranges::find_if(chunk.cuts, [&](const Cut& cut) {
    const auto line = data.substr(cut.begin, cut.size);
    return line.find('"') != line.npos && is_json_object(line);  // "{}" may be a line of a program
  });
  return found == chunk.cuts.end() ? std::nullopt : std::optional(found->line);
}

bool is_mostly_utf8(std::string_view text) {
  int64_t utf8 = 0, others = 0;
  while (!text.empty()) {
    const auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (std::ranges::all_of(line, [](char c) { return static_cast<signed char>(c) >= 0; })) continue;
    ++(json::is_utf8(line) ? utf8 : others);
  }
  return utf8 > others;
}

}  // namespace bert::io
