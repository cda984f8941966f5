#include "io/input_format.h"

#include <algorithm>
#include <cctype>
#include <span>
#include <utility>

#include "base/error.h"
#include "base/spelling.h"
#include "io/array_shape.h"
#include "io/conll.h"
#include "io/foreign.h"
#include "io/line_cutter.h"
#include "json/json.h"

namespace bert::io {
namespace {

std::span<const InputFormatEntry> entries() {
  using enum InputFormat;
  using enum InputFormatEntry::ReadBy;
  using Kind = RecordKind;
  static constexpr InputFormatEntry kEntries[] = {
      // By value.
      {automatic, "auto", all_tools, Kind::text, nullptr},
      {text, "text", all_tools, Kind::text, make_line_cutter, {".txt"}},
      {paragraphs, "paragraphs", all_tools, Kind::text, make_paragraph_cutter, {}, ' '},
      {file, "file", all_tools, Kind::text, make_file_cutter},
      {passages, "passages", some_tools, Kind::text, make_passage_cutter},
      {jsonl, "jsonl", all_tools, Kind::json, make_line_cutter, {".jsonl", ".json", ".ndjson"}},
      {tsv, "tsv", all_tools, Kind::table, make_line_cutter, {".tsv"}},
      {csv, "csv", all_tools, Kind::table, make_csv_cutter, {".csv"}},
      {documents, "documents", some_tools, Kind::text, make_paragraph_cutter, {}, '\n'},
      {object, "object", some_tools, Kind::json, make_file_cutter},
      {conll, "conll", some_tools, Kind::tagged, make_conll_cutter, {".conll"}},
      {conllu, "conllu", some_tools, Kind::tagged, make_conll_cutter, {".conllu", ".conllup"}},
      {squad, "squad", some_tools, Kind::json, make_squad_cutter},
      {npy, "npy", some_tools, Kind::row, make_row_cutter},
      {f32, "f32", some_tools, Kind::row, make_row_cutter},
  };
  return kEntries;
}

constexpr size_t kMostBytes = 1 << 20;  // examined before a FILE is taken for text
constexpr size_t kMostRows = 64;        // examined of CoNLL

struct Row {
  std::string line;
  size_t index;
};

bool is_letter(char c) {
  return static_cast<signed char>(c) < 0 || std::isalpha(static_cast<unsigned char>(c)) != 0;
}

bool has_tag(std::string_view line) {
  const auto columns = columns_of(line);
  if (columns.size() < 2) return false;
  const auto tag = columns.back();
  return tag == kOutside || (has_prefix(tag) && tag.size() > 2 && is_letter(tag[2]));
}

enum class Known { conll, nothing };

// The first line that is not a comment of CoNLL, nor blank after one. Any text may begin with "#", and a
// program that writes it to a pipe may wait for an answer to each line; so in a pipe whose format is not
// known, only is_conll_comment() says what a comment is.
std::optional<Row> first_row(Input& input, Known known = Known::nothing) {
  constexpr size_t npos = std::string_view::npos;
  const bool patient = known == Known::conll || input.is_regular();
  size_t begin = 0;
  for (size_t index = 0;;) {
    const auto unread = input.unread();
    if (index == 0) begin = std::find_if_not(unread.begin(), unread.end(), is_white) - unread.begin();
    const size_t end = unread.find('\n', begin);
    if (end == npos && unread.size() <= kMostBytes && input.read_more()) continue;
    const auto rest = input.unread().substr(begin);
    const auto line = without_line_end(end == npos ? rest : rest.substr(0, end + 1 - begin));
    if (end == npos && (line.empty() || rest.size() > kMostBytes)) return std::nullopt;
    const bool comment = (line.starts_with('#') && !has_tag(line) && (patient || is_conll_comment(line))) ||
                         (known == Known::conll && is_conll_document(line));
    if (!comment && !(index > 0 && is_blank(line))) return Row{.line = std::string(line), .index = index};
    if (end == npos || unread.size() > kMostBytes) return std::nullopt;
    begin = end + 1;
    ++index;
  }
}

// Whether the tag is like B-PER: its type has several capital letters.
bool has_usual_type(std::string_view line) {
  constexpr size_t kPrefix = 2, kLetters = 2;
  const auto columns = columns_of(line);
  const auto tag = columns.back();
  if (!has_prefix(tag) || tag.size() < kPrefix + kLetters) return false;
  return std::ranges::all_of(tag.substr(kPrefix, kLetters),
                             [](unsigned char c) { return std::isupper(c) != 0; });
}

bool counts(std::string_view line, std::string_view number) {
  const auto columns = columns_of(line);
  return columns.size() > 1 && columns.front() == number;
}

}  // namespace

const InputFormatEntry& entry(InputFormat format) { return entries()[static_cast<size_t>(format)]; }

bool InputFormatEntry::has_lines() const {
  return make_cutter != make_file_cutter && make_cutter != make_row_cutter;
}

bool InputFormatEntry::is_made() const {
  return make_cutter == make_squad_cutter || make_cutter == make_row_cutter;
}

std::vector<InputFormat> usual_formats() {
  std::vector<InputFormat> formats;
  for (const auto& entry : entries())
    if (entry.read_by == InputFormatEntry::ReadBy::all_tools) formats.push_back(entry.format);
  return formats;
}

std::vector<InputFormat> formats_of(std::initializer_list<RecordKind> kinds,
                                    std::vector<InputFormat> others) {
  std::vector<InputFormat> formats = std::move(others);
  for (const auto& entry : entries()) {
    const bool usual = entry.read_by == InputFormatEntry::ReadBy::all_tools;
    if (!usual && std::ranges::find(kinds, entry.kind) != kinds.end()) formats.push_back(entry.format);
  }
  std::ranges::sort(formats);
  return formats;
}

std::optional<InputFormat> input_format_by_suffix(std::string_view path) {
  const auto name = lower_case(without_compression_suffix(path));
  for (const auto& entry : entries())
    for (const auto suffix : entry.suffixes)
      if (!suffix.empty() && name.ends_with(suffix)) return entry.format;
  return std::nullopt;
}

std::vector<std::string> first_lines(Input& input, size_t count) {
  for (;;) {
    const auto unread = input.unread();
    std::vector<std::string> lines;
    size_t begin = std::find_if_not(unread.begin(), unread.end(), is_white) - unread.begin();
    for (size_t end; lines.size() < count && (end = unread.find('\n', begin)) != std::string_view::npos;
         begin = end + 1)
      lines.emplace_back(without_line_end(unread.substr(begin, end + 1 - begin)));
    if (lines.size() == count || unread.size() > kMostBytes) return lines;
    if (input.read_more()) continue;
    const auto rest = input.unread().substr(begin);
    if (!rest.empty()) lines.emplace_back(rest);
    return lines;
  }
}

std::string first_marks(Input& input) {
  for (;;) {
    std::string marks;
    const auto unread = input.unread();
    for (size_t i = 0; i < unread.size(); ++i) {
      if (is_white(unread[i])) continue;
      marks += unread[i];
      if (marks.size() == 2 || marks != "[") return marks;
    }
    if (unread.size() > kMostBytes || !input.read_more()) return marks;
  }
}

// A short list may have lines that end in "O" or "I-A". So all lines of the first sentence must have a tag
// and as many columns. A blank line must follow, or one of the tags must have a type such as PER.
bool is_conll(Input& input) {
  const auto row = first_row(input);
  if (!row) return false;
  if (is_conll_document(row->line)) return true;
  if (!has_tag(row->line)) return false;  // without waiting for the second line
  bool usual = has_usual_type(row->line);
  for (size_t tagged = 1; tagged < kMostRows; ++tagged) {
    const auto lines = first_lines(input, row->index + tagged + 1);
    if (lines.size() <= row->index + tagged) return tagged > 1 && usual;
    const auto& line = lines.back();
    if (is_blank(line)) return tagged > 1;
    if (!has_tag(line) || columns_of(line).size() != columns_of(row->line).size()) return false;
    usual |= has_usual_type(line);
  }
  return true;
}

bool has_equal_rows(Input& input) {
  const auto row = first_row(input, Known::conll);
  const size_t columns = row ? columns_of(row->line).size() : 0;
  if (columns < 2 || is_conll_header(row->line)) return false;
  for (size_t rows = 1; rows < kMostRows; ++rows) {
    const auto lines = first_lines(input, row->index + rows + 1);
    if (lines.size() <= row->index + rows) return rows > 1;
    if (is_blank(lines.back())) return true;
    if (columns_of(lines.back()).size() != columns) return false;
  }
  return true;
}

std::string first_conll_row(Input& input) {
  const auto row = first_row(input, Known::conll);
  return row ? row->line : "";
}

bool is_conllu(Input& input) {
  const auto row = first_row(input);
  return row && is_conllu_row(row->line);
}

bool is_conllu_plus(Input& input) {
  const auto lines = first_lines(input, 1);
  return !lines.empty() && !conllu_plus_names(lines.front()).empty();
}

bool is_numbered_conll(Input& input) {
  const auto row = first_row(input);
  if (!row || !counts(row->line, "1")) return false;
  const auto lines = first_lines(input, row->index + 2);
  return lines.size() == row->index + 2 && counts(lines.back(), "2");
}

bool is_conll_header(std::string_view row) {
  constexpr std::string_view kNames[] = {"id",   "index", "sentence", "word",  "words",  "token", "tokens",
                                         "form", "text",  "lemma",    "pos",   "upos",   "xpos",  "chunk",
                                         "ner",  "tag",   "tags",     "label", "labels", "entity"};
  const auto columns = columns_of(row);
  return columns.size() > 1 && std::ranges::all_of(columns, [&](std::string_view name) {
           return std::ranges::find(kNames, lower_case(name)) != std::end(kNames);
         });
}

bool is_json_object(std::string_view text, const std::vector<std::string>& fields) {
  if (!text.starts_with('{')) return false;
  try {
    json::Document document;
    const auto value = document.parse(text);
    const auto has = [&](const std::string& field) { return value.find(field).has_value(); };
    return value.kind() == json::Value::Kind::object && (fields.empty() || std::ranges::any_of(fields, has));
  } catch (const Error&) {
    return false;
  }
}

bool is_json_line(Input& input, const std::vector<std::string>& fields) {
  if (first_marks(input) != "{") return false;
  const auto lines = first_lines(input, 1);
  return !lines.empty() && is_json_object(lines.front(), fields);
}

bool is_npy(Input& input) {
  constexpr size_t kMagicBytes = 6;
  while (input.unread().size() < kMagicBytes && input.unread().starts_with('\x93') && input.read_more()) {
  }
  return is_npy(input.unread());
}

bool is_squad(Input& input) {
  constexpr size_t kEnough = 64 << 10;
  if (first_marks(input) != "{") return false;
  std::string text;
  do {
    text.clear();
    std::ranges::copy_if(input.unread().substr(0, kEnough), std::back_inserter(text),
                         [](char c) { return !is_white(c); });
    if (!text.starts_with("{\"data\":[{") && !text.starts_with("{\"version\":\"") && text.size() > 12)
      return false;
    if (text.find("\"paragraphs\":[{") != std::string::npos) return true;
  } while (input.unread().size() < kEnough && input.read_more());
  return false;
}

}  // namespace bert::io
