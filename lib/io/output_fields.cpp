#include "io/output_fields.h"

#include <algorithm>

#include "base/error.h"
#include "io/csv.h"
#include "json/members.h"

namespace bert::io {
namespace {

constexpr std::string_view kVector = "embedding";
constexpr std::string_view kScores = "scores";
constexpr std::string_view kTruncated = "truncated";  // only in some records, and counted at the end

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kWhite = " \t\r\n";
  const size_t begin = text.find_first_not_of(kWhite);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kWhite) + 1 - begin);
}

// The number of values in a JSON array of numbers; 0 for other JSON, such as a vector in base64.
size_t width_of(std::string_view array) {
  if (!array.starts_with('[')) return 0;
  const auto inside = trimmed(array.substr(1, array.size() - 2));
  return inside.empty() ? 0 : static_cast<size_t>(std::count(inside.begin(), inside.end(), ',')) + 1;
}

// The names of the members of a JSON object; none of other JSON.
std::vector<std::string> members_of(std::string_view object) {
  std::vector<std::string> names;
  if (!object.starts_with('{')) return names;
  json::Members members(object);
  for (json::Members::Member member; members.next(member);) names.emplace_back(member.key);
  return names;
}

}  // namespace

void OutputFields::apply(std::string& lines) {
  std::string out;
  out.reserve(lines.size());
  for (std::string_view rest = lines; !rest.empty();) {
    const size_t end = rest.find('\n');
    read_fields(rest.substr(0, end));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (format_ == OutputFormat::jsonl) {
      append_object(out);
    } else {
      if (!has_header_) append_header(out);
      append_row(out);
    }
  }
  lines = std::move(out);
}

void OutputFields::end(std::string& out) {
  fields_.clear();
  if (format_ != OutputFormat::jsonl && !has_header_ && !keep_.empty()) append_header(out);
}

void OutputFields::read_fields(std::string_view line) {
  fields_.clear();
  names_.clear();
  const auto object = line.substr(line.find('{'));
  json::Members members(object);
  for (json::Members::Member member; members.next(member);) {
    names_.emplace_back(member.key);
    fields_.push_back(
        {.name = {},
         .value = trimmed(object.substr(member.value_begin, member.value_end - member.value_begin))});
  }
  for (size_t i = 0; i < fields_.size(); ++i) fields_[i].name = names_[i];
}

const OutputFields::Field* OutputFields::find(std::string_view name) const {
  const auto found = std::ranges::find(fields_, name, &Field::name);
  return found == fields_.end() ? nullptr : &*found;
}

void OutputFields::append_object(std::string& out) const {
  out += '{';
  for (bool first = true; const auto& name : keep_) {
    const Field* const field = find(name);
    if (field == nullptr) continue;
    if (!std::exchange(first, false)) out += ',';
    json::append_string(out, name);
    out += ':';
    out += field->value;
  }
  out += "}\n";
}

void OutputFields::append_header(std::string& out) {
  has_header_ = true;
  std::vector<std::string> names = keep_;
  if (names.empty()) {
    for (const auto& field : fields_) names.emplace_back(field.name);
  }
  std::vector<std::string> header;
  for (auto& name : names) {
    const Field* const field = find(name);
    Column& column = columns_.emplace_back(Column{.name = std::move(name)});
    if (field != nullptr && column.name == kVector) column.width = width_of(field->value);
    if (field != nullptr && column.name == kScores) column.members = members_of(field->value);
    for (size_t i = 0; i < column.width; ++i) header.push_back(column.name + "_" + std::to_string(i));
    for (const auto& member : column.members) header.push_back(column.name + "." + member);
    if (column.width == 0 && column.members.empty()) header.push_back(column.name);
  }
  auto sorted = header;
  std::ranges::sort(sorted);
  if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
    throw Error("the table would have two columns ", json::in_quotes(*twice),
                "; choose its fields with --keep");
  const size_t begin = out.size();
  for (bool first = true; const auto& name : header) {
    if (!std::exchange(first, false)) out += separator();
    append_text(out, name);
  }
  end_row(out, begin);
}

void OutputFields::check_columns() const {
  if (!keep_.empty()) return;
  for (const auto& field : fields_) {
    if (field.name != kTruncated &&
        std::ranges::find(columns_, field.name, &Column::name) == columns_.end()) {
      throw Error("a record has the field ", json::in_quotes(field.name),
                  ", which the first record lacks, so that the table has no column for it; name the columns "
                  "with --keep");
    }
  }
}

void OutputFields::append_row(std::string& out) {
  check_columns();
  const size_t begin = out.size();
  for (bool first = true; const auto& column : columns_) {
    if (!std::exchange(first, false)) out += separator();
    const Field* const field = find(column.name);
    const auto value = field == nullptr ? "null" : field->value;
    if (column.width > 0) {
      append_vector(out, column, value);
    } else if (!column.members.empty()) {
      append_members(out, column, value);
    } else {
      append_cell(out, value);
    }
  }
  end_row(out, begin);
}

// An empty line is no CSV record.
void OutputFields::end_row(std::string& out, size_t begin) const {
  if (format_ == OutputFormat::csv && out.size() == begin) out += "\"\"";
  out += '\n';
}

// A string without its quotes; null is empty; any other value as JSON.
void OutputFields::append_cell(std::string& out, std::string_view value) {
  if (value == "null") return;
  append_text(out,
              value.starts_with('"') ? std::string(document_.parse(value).string()) : std::string(value));
}

void OutputFields::append_text(std::string& out, std::string text) const {
  if (format_ == OutputFormat::csv) return append_csv_cell(out, text);
  std::ranges::replace_if(
      text, [](char c) { return c == '\t' || c == '\n' || c == '\r'; }, ' ');
  out += text;
}

void OutputFields::append_vector(std::string& out, const Column& column, std::string_view value) const {
  if (width_of(value) != column.width)
    throw Error(column.name, " has ", width_of(value), " numbers, ", column.width, " in the first record");
  std::string numbers(value.substr(1, value.size() - 2));
  std::erase_if(numbers, [](char c) { return c == ' ' || c == '\t'; });
  if (format_ == OutputFormat::tsv) std::ranges::replace(numbers, ',', '\t');
  out += numbers;
}

void OutputFields::append_members(std::string& out, const Column& column, std::string_view value) {
  std::vector<std::string_view> values(column.members.size(), "null");
  if (value != "null" && !value.starts_with('{'))
    throw Error(column.name, " is not an object, as in the first record");
  json::Members members(value);
  size_t i = 0;  // members are usually in the order of the first record
  for (json::Members::Member member; value != "null" && members.next(member); ++i) {
    if (i >= values.size() || column.members[i] != member.key)
      i = static_cast<size_t>(std::ranges::find(column.members, member.key) - column.members.begin());
    if (i == values.size())
      throw Error(column.name, " has the member ", json::in_quotes(member.key),
                  ", which the first record lacks, so that the table has no column for it");
    values[i] = trimmed(value.substr(member.value_begin, member.value_end - member.value_begin));
  }
  for (bool first = true; const auto cell : values) {
    if (!std::exchange(first, false)) out += separator();
    append_cell(out, cell);
  }
}

}  // namespace bert::io
