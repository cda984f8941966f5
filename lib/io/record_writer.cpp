#include "io/record_writer.h"

#include <algorithm>
#include <cassert>

#include "base/error.h"
#include "json/json.h"
#include "json/members.h"
#include "json/utf8.h"

namespace bert::io {
namespace {

// Whether the object at the end of `out`, not closed yet, is empty. If its last character is "{", that is the
// object's own opening brace.
bool is_empty_object(std::string_view out) { return out[out.find_last_not_of(" \t\r\n")] == '{'; }

}  // namespace

std::string& Added::field(std::string_view name) {
  fields_.push_back({.name = name, .begin = text_.size()});
  return text_;
}

void Added::clear() {
  fields_.clear();
  text_.clear();
}

std::string_view Added::value(size_t i) const {
  const size_t end = i + 1 < fields_.size() ? fields_[i + 1].begin : text_.size();
  return std::string_view(text_).substr(fields_[i].begin, end - fields_[i].begin);
}

std::optional<size_t> Added::find(std::string_view name) const {
  for (size_t i = 0; i < fields_.size(); ++i) {
    if (fields_[i].name == name) return i;
  }
  return std::nullopt;
}

RecordWriter::RecordWriter(DropList drop) : drop_(std::move(drop)) {
  for (const auto& name : drop_.names()) drop_keys_ |= json::key_bit(name);
}

void RecordWriter::write(const Record& record, const Added& added, std::string& out) const {
  assert(added.fields_.size() <= 64);
  const uint64_t placed =
      is_json(record.source().format) ? write_json(record, added, out) : write_columns(record, added, out);
  for (size_t i = 0; i < added.fields_.size(); ++i) {
    if ((placed >> i & 1) != 0 || drop_.contains(added.fields_[i].name)) continue;
    if (!is_empty_object(out)) out += ',';
    json::append_string(out, added.fields_[i].name);
    out += ':';
    out += added.value(i);
  }
  out += "}\n";
}

uint64_t RecordWriter::write_json(const Record& record, const Added& added, std::string& out) const {
  uint64_t changed = drop_keys_;
  for (const auto& field : added.fields_) changed |= json::key_bit(field.name);
  if ((record.keys_ & changed) != 0) return rewrite_json(record, added, out);
  out.append(record.raw_, 0, record.raw_.size() - 1);
  return 0;
}

uint64_t RecordWriter::rewrite_json(const Record& record, const Added& added, std::string& out) const {
  const size_t brace = record.raw_.find('{');
  const auto object = record.raw_.substr(brace);
  out.append(record.raw_, 0, brace + 1);
  const size_t begin = out.size();
  uint64_t placed = 0;
  json::Members members(object);
  for (json::Members::Member member; members.next(member);) {
    if (drop_.contains(member.key)) continue;
    if (out.size() > begin) out += ',';
    const auto i = added.find(member.key);
    if (!i) {
      out.append(object, member.begin, member.end - member.begin);
      continue;
    }
    if ((placed >> *i & 1) != 0) throw Error("field \"", member.key, "\" appears twice");
    placed |= uint64_t{1} << *i;
    out.append(object, member.begin, member.value_begin - member.begin);
    out += added.value(*i);
    out.append(object, member.value_end, member.end - member.value_end);
  }
  return placed;
}

uint64_t RecordWriter::write_columns(const Record& record, const Added& added, std::string& out) const {
  uint64_t placed = 0;
  std::string_view rest = record.raw_;
  out += '{';
  const size_t begin = out.size();
  const Source& source = record.source();
  const auto& columns = source.columns;
  if (source.format == InputFormat::file && !drop_.contains("file")) {
    out += "\"file\":";
    json::append_string(out, json::repair_utf8(source.name));
  }
  for (size_t column = 0; column < columns.size(); ++column) {
    // Text has one column and may contain tabs; rows were checked to have one cell per column.
    const size_t size = column + 1 < columns.size() ? rest.find(source.cell_end()) : rest.size();
    const auto cell = rest.substr(0, size);
    rest.remove_prefix(std::min(size + 1, rest.size()));
    if (columns[column].empty() || drop_.contains(columns[column])) continue;
    if (out.size() > begin) out += ',';
    json::append_string(out, columns[column]);
    out += ':';
    if (const auto i = added.find(columns[column])) {
      placed |= uint64_t{1} << *i;
      out += added.value(*i);
    } else {
      json::append_string(out, cell);
    }
  }
  return placed;
}

}  // namespace bert::io
