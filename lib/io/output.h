// What a filter writes: records of fields, rows of numbers, or text of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/drop_list.h"
#include "io/format.h"
#include "json/json.h"

namespace bert::io {

class Record;
struct Lost;
struct Source;

enum class OnError { stop, skip };  // at a bad record

// The fields that a filter adds to a record, or of a record that it makes; in order. Reuse after clear()
// avoids allocations.
class Added {
 public:
  // Starts a field; append its JSON value to the returned string before the next call.
  std::string& field(std::string_view name);
  void string(std::string_view name, std::string_view text) { json::append_string(field(name), text); }
  void integer(std::string_view name, int64_t number) { json::append_integer(field(name), number); }
  void number(std::string_view name, float number, int precision = -1) {
    json::append_number(field(name), number, precision);
  }
  void boolean(std::string_view name, bool value) { field(name) += value ? "true" : "false"; }
  // A text that is not JSON, as the cell of a table.
  void plain(std::string_view name, std::string_view text);
  void clear();

  size_t size() const { return fields_.size(); }
  std::string_view name(size_t i) const;
  std::string_view value(size_t i) const;
  bool is_plain(size_t i) const { return fields_[i].plain; }
  std::optional<size_t> find(std::string_view name) const;

 private:
  friend class Output;
  struct Field {
    size_t name, value;  // where they begin in text_; the value ends where the next name begins
    bool plain;
  };
  std::vector<Field> fields_;
  std::string text_;
};

// `drop`, and those of `fields` that are not added: of an earlier run of the tool, they would not fit what is
// added now.
DropList with_stale(DropList drop, std::span<const std::string_view> fields, const Added& added);

// A field of a record that is not in the output as it was, though the user did not drop it.
struct LostField {
  std::string file, name;
  bool is_column;    // of a table
  bool is_replaced;  // else left out, as one of an earlier run
};

// The fields of one record in an Output.
struct OutputRow {
  const Added& all;
  size_t begin, end;     // of those that belong to the record
  const Source* source;  // of the record; nullptr: made by the filter
  int64_t line, place;   // of the record

  size_t size() const { return end - begin; }
  std::string_view name(size_t i) const { return all.name(begin + i); }
  std::string_view value(size_t i) const { return all.value(begin + i); }
  bool is_plain(size_t i) const { return all.is_plain(begin + i); }
  std::optional<size_t> find(std::string_view name) const;
};

Added fields_of(const OutputRow& row);  // a copy

constexpr size_t kKeepTextBytes = 4 << 20;  // memory of a chunk that is reused; more is unusual

// The output of a chunk's records, in order. Formats that look at the fields of records (tables, --keep) get
// them from row_at(), and OutputFields writes them; otherwise all is written at once to written().
class Output {
 public:
  // Which records' fields are wanted. `first`: that of the first record too, although it is written.
  enum class Rows { none, first, all };

  explicit Output(Format format = Format::jsonl, Rows wanted = Rows::none)
      : format_(&entry(format)), wanted_(wanted) {}

  // A record with the added fields, but without those of `drop`; a filter may write it several times. As
  // JSON: a JSON record is copied byte for byte up to its closing brace; an added field replaces the value of
  // a field of the same name, otherwise it is appended without white space. Text is written as {"text": ...},
  // rows of a table as an object of all columns. Throws Error if an added field would replace a key that the
  // record repeats. At most 64 fields.
  void record(const Record& record, const Added& added, const DropList& drop = {});
  // A record that the filter makes.
  void object(const Added& fields, const DropList& drop = {});
  // See FormatEntry::row.
  void row(std::span<const float> numbers, int precision = -1) {
    format_->row.append(written_, numbers, precision);
  }
  // For text of the filter's own, of one record in each call.
  std::string& text() { return written_.empty() ? written_ : written_ += format_->text.between; }

  size_t rows() const { return rows_.size(); }
  OutputRow row_at(size_t i) const;
  const std::string& written() const { return written_; }
  // Each name once. Records of JSON that have all the added fields are of an earlier run, and lose none.
  const std::vector<LostField>& lost() const { return lost_; }
  bool empty() const { return rows_.empty() && written_.empty(); }
  // Empties it; keeps the memory unless it is unusually large.
  void clear();
  void start(Format format, Rows wanted);

  // To remove what was written after `mark`.
  struct Mark {
    size_t rows, fields, text, written;
  };
  Mark mark() const { return {rows_.size(), fields_.size(), fields_.text_.size(), written_.size()}; }
  void remove_after(const Mark& mark);

 private:
  void collect(const Record* record, const Added& added, const DropList& drop);
  void write_json(const Record& record, const Added& added, const DropList& drop);
  void note_lost(const Record& record, const Added& added, const Lost& lost);
  bool collects() const { return wanted_ == Rows::all || (wanted_ == Rows::first && rows_.empty()); }

  const FormatEntry* format_;
  Rows wanted_;
  std::string written_;
  struct Row {
    size_t begin;  // in fields_
    const Source* source;
    int64_t line, place;
  };
  std::vector<Row> rows_;
  Added fields_;  // of all rows
  std::vector<LostField> lost_;
};

}  // namespace bert::io
