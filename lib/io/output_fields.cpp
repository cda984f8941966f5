#include "io/output_fields.h"

#include <algorithm>

#include "base/error.h"
#include "io/csv.h"
#include "json/members.h"

namespace bert::io {
namespace {

constexpr std::string_view kVector = "embedding";
constexpr std::string_view kTruncated = "truncated";  // only in some records, and counted at the end

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kWhite = " \t\r\n";
  const size_t begin = text.find_first_not_of(kWhite);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kWhite) + 1 - begin);
}

// The number of values in a JSON array of numbers.
size_t width_of(std::string_view array) {
  const auto inside = trimmed(array.substr(1, array.size() - 2));
  return inside.empty() ? 0 : static_cast<size_t>(std::count(inside.begin(), inside.end(), ',')) + 1;
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
  for (auto& name : names) {
    const Field* const field = name == kVector ? find(name) : nullptr;
    columns_.push_back({.name = std::move(name), .width = field == nullptr ? 0 : width_of(field->value)});
  }
  for (bool first = true; const auto& column : columns_) {
    for (size_t i = 0; i < std::max<size_t>(1, column.width); ++i) {
      if (!std::exchange(first, false)) out += format_ == OutputFormat::tsv ? '\t' : ',';
      const std::string name = column.width == 0 ? column.name : column.name + "_" + std::to_string(i);
      format_ == OutputFormat::csv ? append_csv_cell(out, name) : void(out += name);
    }
  }
  out += '\n';
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
  for (bool first = true; const auto& column : columns_) {
    if (!std::exchange(first, false)) out += format_ == OutputFormat::tsv ? '\t' : ',';
    const Field* const field = find(column.name);
    if (column.width > 0) {
      append_vector(out, column, field == nullptr ? "[]" : field->value);
    } else if (field != nullptr) {
      append_cell(out, field->value);
    }
  }
  out += '\n';
}

// A string without its quotes; null is empty; any other value as JSON.
void OutputFields::append_cell(std::string& out, std::string_view value) {
  if (value == "null") return;
  std::string text(value);
  if (value.starts_with('"')) text = document_.parse(value).string();
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

}  // namespace bert::io
