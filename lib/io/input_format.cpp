#include "io/input_format.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/error.h"
#include "io/array_shape.h"
#include "io/conll.h"
#include "io/csv.h"
#include "io/cutter.h"

namespace bert::io {
namespace {

struct FormatEntry {
  InputFormat format;
  std::string_view name;
  bool usual = false;
  std::optional<char> line_separator = {};
};
// By value.
constexpr FormatEntry kFormats[] = {
    {InputFormat::automatic, "auto", true},
    {InputFormat::text, "text", true},
    {InputFormat::paragraphs, "paragraphs", true, ' '},
    {InputFormat::file, "file", true},
    {InputFormat::jsonl, "jsonl", true},
    {InputFormat::tsv, "tsv", true},
    {InputFormat::csv, "csv", true},
    {InputFormat::documents, "documents", false, '\n'},
    {InputFormat::object, "object"},
    {InputFormat::conll, "conll"},
    {InputFormat::squad, "squad"},
    {InputFormat::npy, "npy"},
    {InputFormat::f32, "f32"},
};

constexpr std::array<std::pair<std::string_view, InputFormat>, 6> kSuffixes = {{
    {".jsonl", InputFormat::jsonl},
    {".json", InputFormat::jsonl},
    {".tsv", InputFormat::tsv},
    {".csv", InputFormat::csv},
    {".conll", InputFormat::conll},
    {".txt", InputFormat::text},
}};

constexpr size_t kMostBytes = 1 << 20;  // examined before a FILE is taken for text

// The first lines after leading white space, without line ends; fewer at the end of the input.
std::vector<std::string> first_lines(Input& input, size_t count) {
  for (;;) {
    const auto unread = input.unread();
    std::vector<std::string> lines;
    auto begin =
        static_cast<size_t>(std::find_if_not(unread.begin(), unread.end(), is_white) - unread.begin());
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

bool has_tag(std::string_view line) {
  const auto columns = columns_of(line);
  if (columns.size() < 2) return false;
  const auto tag = columns.back();
  return tag == "O" ||
         (tag.size() > 2 && tag[1] == '-' && std::string_view("BIES").find(tag[0]) != std::string_view::npos);
}

}  // namespace

std::vector<InputFormat> usual_formats() {
  std::vector<InputFormat> formats;
  for (const auto& entry : kFormats)
    if (entry.usual) formats.push_back(entry.format);
  return formats;
}

std::optional<char> line_separator(InputFormat format) {
  return kFormats[static_cast<size_t>(format)].line_separator;
}

std::string_view name_of(InputFormat format) { return kFormats[static_cast<size_t>(format)].name; }

std::optional<InputFormat> input_format_by_suffix(std::string_view path) {
  for (const auto& [suffix, format] : kSuffixes) {
    if (path.ends_with(suffix)) return format;
  }
  return std::nullopt;
}

std::vector<std::string> split(std::string_view line, char separator) {
  std::vector<std::string> names;
  for (size_t end; (end = line.find(separator)) != std::string_view::npos; line.remove_prefix(end + 1))
    names.emplace_back(line.substr(0, end));
  names.emplace_back(line);
  return names;
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

std::vector<std::string> column_names(InputFormat table, const std::string& header) {
  return table == InputFormat::csv ? split(csv_cells(header), kCellEnd) : split(header, '\t');
}

bool is_header(Input& input, InputFormat table, const std::string& field) {
  const auto lines = first_lines(input, 1);
  if (lines.empty()) return false;
  try {
    const auto columns = column_names(table, lines.front());
    return columns.size() > 1 && std::find(columns.begin(), columns.end(), field) != columns.end();
  } catch (const Error&) {
    return false;  // text with quotes
  }
}

// One tagged line may be text that ends in "O"; two of as many columns are not.
bool is_conll(Input& input) {
  auto lines = first_lines(input, 1);
  if (lines.empty()) return false;
  if (is_conll_document(lines[0])) return true;
  if (!has_tag(lines[0])) return false;  // without waiting for the second line
  lines = first_lines(input, 2);
  return lines.size() == 2 && has_tag(lines[1]) && columns_of(lines[0]).size() == columns_of(lines[1]).size();
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

void check_uncompressed(Input& input) {
  struct Magic {
    std::string_view bytes, program;
  };
  // No UTF-8 text begins so.
  constexpr std::array<Magic, 3> kMagic = {{{"\x1f\x8b", "gzip"},
                                            {"\x28\xb5\x2f\xfd", "zstd"},
                                            {"\xfd"
                                             "7zXZ",
                                             "xz"}}};
  for (const auto& [bytes, program] : kMagic) {
    while (input.unread().size() < bytes.size() && bytes.starts_with(input.unread()) && input.read_more()) {
    }
    if (!input.unread().starts_with(bytes)) continue;
    throw Error(input.name(), ": is compressed; decompress it with ", program, " -dc",
                input.name() == "-" ? "" : " " + input.name(), " and pipe the result into this tool");
  }
}

}  // namespace bert::io
