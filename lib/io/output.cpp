#include "io/output.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <utility>

#include "base/error.h"
#include "io/record.h"
#include "json/members.h"
#include "json/utf8.h"

namespace bert::io {

// Which fields of a record are not in the output as they were, though the user did not drop them.
struct Lost {
  struct Other {
    std::string name;
    bool is_replaced;
  };
  uint64_t replaced = 0;           // bits of added fields
  std::vector<Other> others = {};  // of an earlier run, or parts of a field
};

namespace {

// A field of a record. For JSON, also the bytes before and after its value, such as the key and white space.
struct RecordField {
  std::string_view name, value;
  bool plain = false;
  std::string_view before = {}, after = {};
};

template <class Visit>
void for_each_cell(const Record& record, Visit visit) {
  const Source& source = record.source();
  if (source.format == InputFormat::file && !source.located)
    visit({.name = kFileField, .value = json::repair_utf8(source.name), .plain = true});
  std::string_view rest = record.raw();
  for (size_t column = 0; column < source.columns.size(); ++column) {
    // Text has one column and may contain tabs; rows were checked to have one cell per column.
    const size_t size = column + 1 < source.columns.size() ? rest.find(source.cell_end()) : rest.size();
    const auto cell = rest.substr(0, size);
    rest.remove_prefix(std::min(size + 1, rest.size()));
    if (!source.columns[column].empty())
      visit({.name = source.columns[column], .value = cell, .plain = true});
  }
}

template <class Visit>
void for_each_member(std::string_view object, Visit visit) {
  json::Members members(object);
  for (json::Members::Member member; members.next(member);) {
    const auto part = [&](size_t begin, size_t end) { return object.substr(begin, end - begin); };
    visit({.name = member.key,
           .value = part(member.value_begin, member.value_end),
           .before = part(member.begin, member.value_begin),
           .after = part(member.value_end, member.end)});
  }
}

template <class Visit>
void for_each_own_field(const Record& record, Visit visit) {
  if (is_json(record.source().format)) {
    for_each_member(record.raw().substr(record.raw().find('{')), visit);
  } else {
    for_each_cell(record, visit);
  }
}

// Where a record is.
template <class Visit>
void for_each_place(const Record& record, Visit visit) {
  const auto& [end_line, begin, end] = record.location();
  visit({.name = kFileField, .value = json::repair_utf8(record.file()), .plain = true});
  visit({.name = kStartLine, .value = std::to_string(record.line())});
  visit({.name = kEndLine, .value = std::to_string(end_line)});
  if (begin) visit({.name = kStart, .value = std::to_string(*begin)});
  if (end) visit({.name = kEnd, .value = std::to_string(*end)});
}

// The field of which this is a column that a table had for a part, "scores.pos" or "embedding_0"; else "".
std::string_view whole_of(std::string_view name) {
  constexpr std::string_view kScores = "scores", kEmbedding = "embedding";
  if (name.starts_with(kScores)) return name.substr(kScores.size()).starts_with('.') ? kScores : "";
  if (!name.starts_with(kEmbedding)) return "";
  name.remove_prefix(kEmbedding.size());
  const bool is_number = name.size() > 1 && name.find_first_not_of("0123456789", 1) == name.npos;
  return name.starts_with('_') && is_number ? kEmbedding : "";
}

// Visits the fields of the output: those of the record that are not dropped, with their new values, then the
// other added ones. `notes_parts`: whether lost parts are wanted, of which there may be hundreds.
template <class Visit>
Lost for_each_field(const Record* record, const Added& added, const DropList& drop, bool notes_parts,
                    Visit visit) {
  assert(record == nullptr || added.size() <= 64);
  Lost lost;
  uint64_t& placed = lost.replaced;
  const auto visit_own = [&](const RecordField& field) {
    if (drop.contains(field.name)) {
      if (drop.is_stale(field.name)) lost.others.push_back({std::string(field.name), false});
      return;
    }
    if (const auto whole = whole_of(field.name); !whole.empty()) {
      const bool is_added = added.find(whole).has_value(), is_dropped = drop.contains(whole);
      if (notes_parts && (is_dropped ? drop.is_stale(whole) : is_added))
        lost.others.push_back({std::string(field.name), is_added});
      if (is_added || is_dropped) return;
    }
    if (const auto i = added.find(field.name)) {
      if ((placed >> *i & 1) != 0) throw Error("field \"", field.name, "\" appears twice");
      placed |= uint64_t{1} << *i;
      visit(RecordField{
          .name = field.name, .value = added.value(*i), .before = field.before, .after = field.after});
    } else {
      visit(field);
    }
  };
  if (record != nullptr && record->source().located) {
    std::vector<std::string> names;
    for_each_own_field(*record, [&](const RecordField& field) {
      names.emplace_back(field.name);
      visit_own(field);
    });
    const auto is_own = [&](std::string_view name) { return std::ranges::find(names, name) != names.end(); };
    // All or none: the record's own file does not have our lines.
    const bool has_place = std::ranges::any_of(kPlaceFields, is_own);
    for_each_place(*record, [&](const RecordField& field) {
      if (!has_place && !is_own(field.name)) visit_own(field);
    });
  } else if (record != nullptr) {
    for_each_own_field(*record, visit_own);
  }
  for (size_t i = 0; i < added.size(); ++i) {
    if ((record != nullptr && (placed >> i & 1) != 0) || drop.contains(added.name(i))) continue;
    visit(RecordField{.name = added.name(i), .value = added.value(i)});
  }
  return lost;
}

// Fields that tools pass on to each other, to be replaced; nobody else has fields of these names, except
// texts.
constexpr std::string_view kPassedOn[] = {
    "attention", "candidates",   "embedding",     "embedding_model",     "embeddings",
    "input_ids", "instance",     "masked_lm_ids", "masked_lm_positions", "offsets",
    "sentences", "sparse_model", "text",          "token_type_ids",      "tokens",
    "truncated", "word_ids",     "window"};

// Whether the object at the end of `out`, not closed yet, is empty. If its last character is "{", that is the
// object's own opening brace.
bool is_empty_object(std::string_view out) { return out[out.find_last_not_of(" \t\r\n")] == '{'; }

// Appends a JSON object without the members that are dropped: "scores.pos" is the member "pos" of `scores`.
void append_without_parts(std::string& out, const std::string& name, std::string_view object,
                          const DropList& drop) {
  out += '{';
  const size_t begin = out.size();
  json::Members members(object);
  for (json::Members::Member member; members.next(member);) {
    const auto part = name + "." + std::string(member.key);
    if (drop.contains(part)) continue;
    if (out.size() > begin) out += ',';
    const auto value = object.substr(member.value_begin, member.value_end - member.value_begin);
    if (value.starts_with('{') && drop.has_part_of(part)) {
      out.append(object, member.begin, member.value_begin - member.begin);
      append_without_parts(out, part, value, drop);
    } else {
      out.append(object, member.begin, member.end - member.begin);
    }
  }
  out += '}';
}

// A value that is JSON.
void append_value(std::string& out, const RecordField& field, const DropList& drop) {
  if (drop.has_parts() && field.value.starts_with('{')) {
    append_without_parts(out, std::string(field.name), field.value, drop);
  } else {
    out += field.value;
  }
}

// Not inline: otherwise it is a part of each place that visits fields, and the calls in it are not inline.
[[gnu::noinline]] void append_field(std::string& out, bool is_first, const RecordField& field,
                                    const DropList& drop) {
  if (!is_first) out += ',';
  if (field.before.empty()) {
    json::append_string(out, field.name);
    out += ':';
  } else {
    out += field.before;
  }
  if (field.plain) {
    json::append_string(out, field.value);
  } else {
    append_value(out, field, drop);
  }
  if (!field.after.empty()) out += field.after;
}

Lost append_fields(std::string& out, const Record* record, const Added& added, const DropList& drop,
                   bool notes_parts) {
  bool first = is_empty_object(out);
  return for_each_field(record, added, drop, notes_parts, [&](const RecordField& field) {
    append_field(out, std::exchange(first, false), field, drop);
  });
}

}  // namespace

std::string& Added::field(std::string_view name) {
  constexpr size_t kUsual = 8;  // more than most filters add
  if (fields_.capacity() == 0) fields_.reserve(kUsual);
  fields_.push_back({.name = text_.size(), .value = text_.size() + name.size(), .plain = false});
  return text_ += name;
}

void Added::plain(std::string_view name, std::string_view text) {
  field(name) += text;
  fields_.back().plain = true;
}

void Added::clear() {
  fields_.clear();
  text_.clear();
}

std::string_view Added::name(size_t i) const {
  return std::string_view(text_).substr(fields_[i].name, fields_[i].value - fields_[i].name);
}

std::string_view Added::value(size_t i) const {
  const size_t end = i + 1 < fields_.size() ? fields_[i + 1].name : text_.size();
  return std::string_view(text_).substr(fields_[i].value, end - fields_[i].value);
}

std::optional<size_t> Added::find(std::string_view name) const {
  for (size_t i = 0; i < size(); ++i)
    if (this->name(i) == name) return i;
  return std::nullopt;
}

DropList with_stale(DropList drop, std::span<const std::string_view> fields, const Added& added) {
  for (const auto name : fields)
    if (!added.find(name)) drop.add_stale(std::string(name));
  return drop;
}

std::optional<size_t> OutputRow::find(std::string_view wanted) const {
  for (size_t i = 0; i < size(); ++i)
    if (name(i) == wanted) return i;
  return std::nullopt;
}

void Output::record(const Record& record, const Added& added, const DropList& drop) {
  if (collects()) collect(&record, added, drop);
  if (wanted_ != Rows::all) write_json(record, added, drop);
}

void Output::object(const Added& fields, const DropList& drop) {
  if (collects()) collect(nullptr, fields, drop);
  if (wanted_ == Rows::all) return;
  written_ += '{';
  append_fields(written_, nullptr, fields, drop, false);
  written_ += "}\n";
}

void Output::collect(const Record* record, const Added& added, const DropList& drop) {
  rows_.push_back({.begin = fields_.size(),
                   .source = record != nullptr ? &record->source() : nullptr,
                   .line = record != nullptr ? record->line() : 0,
                   .place = record != nullptr ? record->place() : 0});
  const auto lost = for_each_field(record, added, drop, lost_.empty(), [&](const RecordField& field) {
    if (field.plain) {
      fields_.plain(field.name, field.value);
    } else {
      append_value(fields_.field(field.name), field, drop);
    }
  });
  if (record != nullptr) note_lost(*record, added, lost);
}

// A record of JSON with all fields that are added is the output of an earlier run.
void Output::note_lost(const Record& record, const Added& added, const Lost& lost) {
  const auto& [replaced, others] = lost;
  if (replaced == 0 && others.empty()) return;
  if (record.source().located) return;  // its fields are those of the place
  const bool is_column = !is_json(record.source().format);
  if (!is_column && std::popcount(replaced) == std::ssize(added)) return;
  const auto note = [&](std::string_view name, bool is_replaced) {
    if (std::ranges::find(kPassedOn, name) != std::end(kPassedOn)) return;
    if (std::ranges::find(lost_, name, &LostField::name) != lost_.end()) return;
    lost_.push_back({.file = record.source().name,
                     .name = std::string(name),
                     .is_column = is_column,
                     .is_replaced = is_replaced});
  };
  for (size_t i = 0; i < added.size(); ++i)
    if ((replaced >> i & 1) != 0) note(added.name(i), true);
  for (const auto& [name, is_replaced] : others) note(name, is_replaced);
}

OutputRow Output::row_at(size_t i) const {
  return {.all = fields_,
          .begin = rows_[i].begin,
          .end = i + 1 < rows_.size() ? rows_[i + 1].begin : fields_.size(),
          .source = rows_[i].source,
          .line = rows_[i].line,
          .place = rows_[i].place};
}

void Output::write_json(const Record& record, const Added& added, const DropList& drop) {
  const bool is_object = is_json(record.source().format);
  uint64_t changed = drop.key_bits();
  for (size_t i = 0; is_object && i < added.size(); ++i) changed |= json::key_bit(added.name(i));
  const bool copied = is_object && !record.source().located && (record.key_bits() & changed) == 0;
  if (copied) {
    written_.append(record.raw(), 0, record.raw().size() - 1);
  } else {
    if (is_object) written_.append(record.raw(), 0, record.raw().find('{'));
    written_ += '{';
  }
  note_lost(record, added, append_fields(written_, copied ? nullptr : &record, added, drop, lost_.empty()));
  written_ += "}\n";
}

Added fields_of(const OutputRow& row) {
  Added fields;
  for (size_t i = 0; i < row.size(); ++i) {
    if (row.is_plain(i)) {
      fields.string(row.name(i), row.value(i));
    } else {
      fields.field(row.name(i)) += row.value(i);
    }
  }
  return fields;
}

void Output::clear() {
  rows_.clear();
  lost_.clear();
  if (fields_.text_.capacity() > kKeepTextBytes) fields_ = Added();
  fields_.clear();
  if (written_.capacity() > kKeepTextBytes) written_ = std::string();
  written_.clear();
}

void Output::start(Format format, Rows wanted) {
  clear();
  format_ = &entry(format);
  wanted_ = wanted;
}

void Output::remove_after(const Mark& mark) {
  rows_.resize(mark.rows);
  fields_.fields_.resize(mark.fields);
  fields_.text_.resize(mark.text);
  written_.resize(mark.written);
}

}  // namespace bert::io
