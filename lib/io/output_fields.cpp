#include "io/output_fields.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/option.h"
#include "base/spelling.h"
#include "io/record.h"
#include "json/members.h"

namespace bert::io {
namespace {

constexpr std::string_view kVector = "embedding";
constexpr std::string_view kScores = "scores";
constexpr std::string_view kNoColumn =
    ", which the first record lacks, so that the table has no column for it";
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
                                        "sparse",        "sparse_model",
                                        "start",         "tags",
                                        "text",          "text_pair",
                                        "tokens",        "word_ids"};

// With those of their members.
std::vector<std::string> names_of(const OutputRow& fields) {
  std::vector<std::string> names;
  for (size_t i = 0; i < fields.size(); ++i) {
    names.emplace_back(fields.name(i));
    if (fields.is_plain(i)) continue;
    for (const auto& member : members_of(fields.value(i)))
      names.push_back(std::string(fields.name(i)) + "." + member);
  }
  return names;
}

std::string number_name(const std::string& array, size_t i) { return array + "_" + std::to_string(i); }

template <class Names, class Name>
bool contains(const Names& names, const Name& name) {
  return std::ranges::find(names, name) != std::end(names);
}

}  // namespace

OutputFields::OutputFields(Format format, std::vector<std::string> keep, DropList drop)
    : format_(entry(format)), keep_(std::move(keep)), drop_(std::move(drop)), found_(keep_.size()) {}

Output::Rows OutputFields::wanted() const {
  if (format_.is_table() || !keep_.empty()) return Output::Rows::all;
  return drop_.empty() ? Output::Rows::none : Output::Rows::first;
}

void OutputFields::set_origin(std::string_view file, Fields fields, Files files) {
  alike_ = fields;
  files_ = files;
  if (file == file_) return;
  file_ = file;
  checks_kept_ = fields == Fields::alike && files == Files::several && !keep_.empty();
}

std::vector<UnfitRecord> OutputFields::write(const Output& output, OnError on_error, std::string& out) {
  if (output.rows() == 0) return {};
  const auto first = output.row_at(0);
  if (checks_kept_) require_kept(first);
  if (format_.is_table() && !has_header_) append_header(first, out);
  if (first_.empty() && (!keep_.empty() || !drop_.empty())) look_at(first);
  std::vector<UnfitRecord> unfit;
  if (wanted() != Output::Rows::all) return unfit;
  size_t begin = 0;  // of the record, which may have several rows
  for (size_t i = 0; i < output.rows(); ++i) {
    const auto fields = output.row_at(i);
    if (!format_.is_table()) {
      append_kept(fields, out);
      continue;
    }
    const bool continues = i > 0 && fields.source != nullptr && fields.place == output.row_at(i - 1).place;
    if (continues && !unfit.empty() && unfit.back().place == fields.place) continue;
    if (!continues) begin = out.size();
    try {
      append_row(fields, out);
    } catch (const Error& error) {
      out.resize(begin);
      const auto where =
          fields.source != nullptr ? fields.source->name + ":" + std::to_string(fields.line) : "a record";
      unfit.push_back({.place = fields.place, .message = where + ": " + error.what()});
      if (on_error == OnError::stop) break;
    }
  }
  return unfit;
}

void OutputFields::end(std::string& out) {
  if (format_.is_table() && !has_header_ && !keep_.empty())
    append_header({.all = {}, .begin = 0, .end = 0, .source = nullptr, .line = 0, .place = 0}, out);
}

void OutputFields::require_kept(const OutputRow& fields) {
  checks_kept_ = false;
  for (const auto& name : keep_)
    if (!contains(kSometimes, name) && !value_named(name, fields))
      throw Error(file_, ": ", opt::keep, ": no record has the field ", json::in_quotes(name),
                  did_you_mean(name, names_of(fields)));
}

// At the first record: notes its names, and looks for those that were given.
void OutputFields::look_at(const OutputRow& fields) {
  first_ = names_of(fields);
  if (alike_ == Fields::any || files_ == Files::several) return;
  for (size_t i = 0; i < keep_.size(); ++i) found_[i] = value_named(keep_[i], fields).has_value();
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
    if (!found_[i] && !contains(kSometimes, keep_[i])) add(opt::keep, keep_[i]);
  for (const auto& name : drop_.not_found()) {
    const bool known = contains(kSometimes, name) || contains(kFields, name);
    if (!known || !nearest_name(name, first_).empty()) add(opt::drop, name);
  }
  return messages;
}

void OutputFields::append_kept(const OutputRow& fields, std::string& out) {
  out += '{';
  bool first = true;
  for (size_t i = 0; i < keep_.size(); ++i) {
    const auto value = value_named(keep_[i], fields);
    if (!value) continue;
    found_[i] = true;
    if (!std::exchange(first, false)) out += ',';
    json::append_string(out, keep_[i]);
    out += ':';
    if (value->plain) {
      json::append_string(out, value->text);
    } else {
      out += value->text;
    }
  }
  out += "}\n";
}

OutputFields::Column OutputFields::column_of(const std::string& name, const OutputRow& fields) const {
  Column column = {.name = name};
  const auto value = value_named(name, fields);
  if (!value || value->plain) return column;
  if (name == kScores) column.members = members_of(value->text);
  const size_t width = name == kVector || !drop_.empty() ? width_of(value->text) : 0;
  for (size_t i = 0; i < width; ++i) column.numbers.push_back(!drop_.contains(number_name(name, i)));
  if (name != kVector && !contains(column.numbers, false)) column.numbers.clear();
  return column;
}

void OutputFields::append_header(const OutputRow& fields, std::string& out) {
  has_header_ = true;
  if (keep_.empty())
    for (size_t i = 0; i < fields.size(); ++i)
      if (fields.name(i) != kTruncated) known_.emplace_back(fields.name(i));
  std::vector<std::string> header;
  for (const auto& name : keep_.empty() ? known_ : keep_) {
    auto column = column_of(name, fields);
    for (size_t i = 0; i < column.numbers.size(); ++i)
      if (column.numbers[i]) header.push_back(number_name(name, i));
    for (const auto& member : column.members) header.push_back(name + "." + member);
    if (column.numbers.empty() && column.members.empty()) header.push_back(name);
    if (column.numbers.empty() || contains(column.numbers, true)) columns_.push_back(std::move(column));
  }
  auto sorted = header;
  std::ranges::sort(sorted);
  if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
    throw Error("the table would have two columns ", json::in_quotes(*twice), "; choose its fields with ",
                opt::keep);
  const size_t begin = out.size();
  for (bool first = true; const auto& name : header) {
    if (!std::exchange(first, false)) out += format_.table.separator;
    format_.table.append_cell(out, name);
  }
  end_row(out, begin);
}

void OutputFields::require_known(const OutputRow& fields) const {
  if (!keep_.empty()) return;
  for (size_t i = 0; i < fields.size(); ++i) {
    const auto name = fields.name(i);
    if (name != kTruncated && !contains(known_, name))
      throw Error("has the field ", json::in_quotes(name), kNoColumn, "; name the columns with ", opt::keep);
  }
}

// Throws Error if the columns are not those of the record.
void OutputFields::append_row(const OutputRow& fields, std::string& out) {
  require_known(fields);
  const size_t begin = out.size();
  for (size_t i = 0; i < columns_.size(); ++i) {
    const Column& column = columns_[i];
    if (i > 0) out += format_.table.separator;
    const auto value = value_named(column.name, fields);
    if (value && !keep_.empty()) found_[i] = true;
    const auto json = value && !value->plain ? value->text : "null";
    if (!column.numbers.empty()) {
      append_vector(out, column, json);
    } else if (!column.members.empty()) {
      append_members(out, column, json);
    } else if (value) {
      append_cell(out, *value);
    }
  }
  end_row(out, begin);
}

// An empty line is no CSV record.
void OutputFields::end_row(std::string& out, size_t begin) const {
  if (format_.table.quotes && out.size() == begin) out += "\"\"";
  out += '\n';
}

// A string without its quotes; null is empty; any other value as JSON.
void OutputFields::append_cell(std::string& out, const FieldValue& value) {
  if (value.plain || !value.text.starts_with('"')) {
    if (value.plain || value.text != "null") format_.table.append_cell(out, value.text);
  } else if (value.text.find('\\') == std::string_view::npos) {
    format_.table.append_cell(out, value.text.substr(1, value.text.size() - 2));
  } else {
    format_.table.append_cell(out, document_.parse(value.text).string());
  }
}

void OutputFields::append_vector(std::string& out, const Column& column, std::string_view value) const {
  if (const size_t width = width_of(value); width != column.numbers.size())
    throw Error("field ", json::in_quotes(column.name), " has ", counted(width, "number", "numbers"),
                ", expected ", column.numbers.size(), " as in the first record");
  value = value.substr(1, value.size() - 2);
  bool first = true;
  for (const bool is_written : column.numbers) {
    const auto number = value.substr(0, value.find(','));
    value.remove_prefix(std::min(number.size() + 1, value.size()));
    if (!is_written) continue;
    if (!std::exchange(first, false)) out += format_.table.separator;
    out += trimmed(number);
  }
}

void OutputFields::append_members(std::string& out, const Column& column, std::string_view value) {
  std::vector<std::string_view> values(column.members.size(), "null");
  if (value != "null" && !value.starts_with('{'))
    throw Error("field ", json::in_quotes(column.name), " is not an object, as in the first record");
  json::Members members(value);
  size_t i = 0;  // members are usually in the order of the first record
  for (json::Members::Member member; value != "null" && members.next(member); ++i) {
    if (i >= values.size() || column.members[i] != member.key)
      i = std::ranges::find(column.members, member.key) - column.members.begin();
    if (i == values.size())
      throw Error("field ", json::in_quotes(column.name), " has the member ", json::in_quotes(member.key),
                  kNoColumn);
    values[i] = value.substr(member.value_begin, member.value_end - member.value_begin);
  }
  for (bool first = true; const auto cell : values) {
    if (!std::exchange(first, false)) out += format_.table.separator;
    append_cell(out, {.text = cell});
  }
}

}  // namespace bert::io
