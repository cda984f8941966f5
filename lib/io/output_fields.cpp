#include "io/output_fields.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/spelling.h"
#include "io/csv.h"
#include "json/members.h"

namespace bert::io {
namespace {

constexpr std::string_view kVector = "embedding";
constexpr std::string_view kScores = "scores";
constexpr std::string_view kTruncated = "truncated";  // only in some records, and counted at the end

// Fields that only some records have, though their tool always may write them.
constexpr std::string_view kSometimes[] = {kTruncated, "token_type_ids", "window", "words", "null_score"};

// Further fields of bert-records(5) that someone may drop in case they are there.
constexpr std::string_view kFields[] = {"answers",       "attention",
                                        "candidates",    "choices",
                                        "cluster",       "context",
                                        "distance",      "document",
                                        "embedding",     "embedding_model",
                                        "embeddings",    "end",
                                        "entities",      "id",
                                        "input_ids",     "instance",
                                        "label",         "labels",
                                        "masked_lm_ids", "masked_lm_positions",
                                        "n_best",        "negatives",
                                        "neighbors",     "next_sentence_label",
                                        "offsets",       "prediction",
                                        "question",      "rank",
                                        "record",        "score",
                                        "scores",        "sentences",
                                        "start",         "tags",
                                        "text",          "text_pair",
                                        "tokens",        "word_ids"};

template <class Names>
bool contains(const Names& names, std::string_view name) {
  return std::ranges::find(names, name) != std::end(names);
}

// Whether a part of a field may have to be left out of JSON; only a table leaves out numbers of an array.
bool has_part(const DropList& drop) {
  return std::ranges::any_of(drop.names(), [](const auto& name) { return name.find('.') != name.npos; });
}

}  // namespace

OutputFields::OutputFields(OutputFormat format, std::vector<std::string> keep, DropList drop)
    : format_(format),
      keep_(std::move(keep)),
      drop_(std::move(drop)),
      changes_(format_ != OutputFormat::jsonl || !keep_.empty() || has_part(drop_)),
      found_(keep_.size()) {}

void OutputFields::apply(std::string& lines, const Where& where) {
  if (first_.empty() && !lines.empty() && (!keep_.empty() || !drop_.empty()))
    look_at(std::string_view(lines).substr(0, lines.find('\n')));
  if (!changes_) return;
  std::string out;
  out.reserve(lines.size());
  for (std::string_view rest = lines; !rest.empty();) {
    const size_t end = rest.find('\n');
    const auto line = rest.substr(0, end);
    read_fields(line);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (format_ != OutputFormat::jsonl) {
      if (!has_header_) append_header(out);
      if (const auto wrong = mismatch())
        throw Error(where ? where(line.data() - lines.data()) : "a record", *wrong);
      append_row(out);
    } else if (keep_.empty()) {
      append_without_parts(out, line);
    } else {
      append_kept(out);
    }
  }
  lines = std::move(out);
}

void OutputFields::end(std::string& out) {
  fields_.clear();
  if (format_ != OutputFormat::jsonl && !has_header_ && !keep_.empty()) append_header(out);
}

// At the first record: notes its names, and looks for those that were given.
void OutputFields::look_at(std::string_view line) {
  read_fields(line);
  for (const auto& field : fields_) {
    first_.emplace_back(field.name);
    for (const auto& member : members_of(field.value))
      first_.push_back(std::string(field.name) + "." + member);
  }
  if (!uniform_) return;
  for (size_t i = 0; i < keep_.size(); ++i) found_[i] = find(keep_[i]) || part_named(keep_[i], fields_);
  for (const auto& name : drop_.not_found()) {
    const bool can_drop = format_ != OutputFormat::jsonl || name.find('.') != name.npos;
    if (can_drop && part_named(name, fields_)) drop_.contains(name);
  }
  if (const auto unknown = unknown_names(); !unknown.empty()) throw Error(unknown.front());
}

std::vector<std::string> OutputFields::unknown_names() const {
  std::vector<std::string> messages;
  if (first_.empty()) return messages;
  const auto add = [&](std::string_view option, const std::string& name) {
    messages.push_back(std::string(option) + ": no record has the field " + json::in_quotes(name) +
                       did_you_mean(name, first_));
  };
  for (size_t i = 0; i < keep_.size(); ++i)
    if (!found_[i] && !contains(kSometimes, keep_[i])) add("--keep", keep_[i]);
  for (const auto& name : drop_.not_found()) {
    const bool known = contains(kSometimes, name) || contains(kFields, name);
    if (!known || !nearest_name(name, first_).empty()) add("--drop", name);
  }
  return messages;
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

const OutputField* OutputFields::find(std::string_view name) const {
  const auto found = std::ranges::find(fields_, name, &OutputField::name);
  return found == fields_.end() ? nullptr : &*found;
}

void OutputFields::append_kept(std::string& out) {
  out += '{';
  bool first = true;
  for (size_t i = 0; i < keep_.size(); ++i) {
    const OutputField* const field = find(keep_[i]);
    const auto value = field != nullptr ? std::optional(field->value) : part_named(keep_[i], fields_);
    if (!value) continue;
    found_[i] = true;
    if (!std::exchange(first, false)) out += ',';
    json::append_string(out, keep_[i]);
    out += ':';
    out += *value;
  }
  out += "}\n";
}

// Copies the line, except for the members that are dropped.
void OutputFields::append_without_parts(std::string& out, std::string_view line) const {
  for (const auto& field : fields_) {
    if (!field.value.starts_with('{')) continue;
    std::string kept;
    json::Members members(field.value);
    bool all = true;
    for (json::Members::Member member; members.next(member);) {
      if (drop_.contains(std::string(field.name) + "." + std::string(member.key))) {
        all = false;
        continue;
      }
      if (!kept.empty()) kept += ',';
      kept += field.value.substr(member.begin, member.end - member.begin);
    }
    if (all) continue;
    const size_t before = field.value.data() - line.data();
    out += line.substr(0, before);
    out += '{' + kept + '}';
    line.remove_prefix(before + field.value.size());
  }
  out += line;
  out += '\n';
}

std::vector<std::string> OutputFields::Column::parts() const {
  std::vector<std::string> parts;
  for (size_t i = 0; i < width; ++i) parts.push_back(name + "_" + std::to_string(i));
  for (const auto& member : members) parts.push_back(name + "." + member);
  return parts;
}

// The columns of a field, of which some may be dropped.
void OutputFields::add_columns(Column column, std::vector<std::string>& header) {
  auto parts = column.parts();
  if (parts.empty()) {
    header.push_back(column.name);
    columns_.push_back(std::move(column));
    return;
  }
  if (std::erase_if(parts, [&](const auto& part) { return drop_.contains(part); }) == 0) {
    columns_.push_back(std::move(column));
  } else {
    for (const auto& part : parts) columns_.push_back({.name = part});
  }
  header.insert(header.end(), parts.begin(), parts.end());
}

void OutputFields::append_header(std::string& out) {
  has_header_ = true;
  if (keep_.empty())
    for (const auto& field : fields_) known_.emplace_back(field.name);
  std::vector<std::string> header;
  for (const auto& name : keep_.empty() ? known_ : keep_) {
    Column column = {.name = name};
    const OutputField* const field = find(name);
    if (field != nullptr && name == kVector) column.width = width_of(field->value);
    if (field != nullptr && name == kScores) column.members = members_of(field->value);
    add_columns(std::move(column), header);
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

std::optional<std::string> OutputFields::mismatch() const {
  if (!keep_.empty()) return std::nullopt;
  for (const auto& field : fields_) {
    if (field.name != kTruncated && std::ranges::find(known_, field.name) == known_.end())
      return " has the field " + json::in_quotes(field.name) +
             ", which the first record lacks, so that the table has no column for it; name the columns with "
             "--keep";
  }
  return std::nullopt;
}

void OutputFields::append_row(std::string& out) {
  const size_t begin = out.size();
  for (size_t i = 0; i < columns_.size(); ++i) {
    const Column& column = columns_[i];
    if (i > 0) out += separator();
    const OutputField* const field = find(column.name);
    const auto value = field != nullptr ? std::optional(field->value) : part_named(column.name, fields_);
    if (value && !keep_.empty()) found_[i] = true;
    if (column.width > 0) {
      append_vector(out, column, value.value_or("null"));
    } else if (!column.members.empty()) {
      append_members(out, column, value.value_or("null"));
    } else {
      append_cell(out, value.value_or("null"));
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
      i = std::ranges::find(column.members, member.key) - column.members.begin();
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
