// Selects and formats the fields of output records: --keep, --drop of numbers of arrays, --format tsv|csv.
//
// Writes the rows of an Output. A table has a header line with the names of the kept fields or, without
// --keep, of the fields of the first record. `embedding` and `scores` have a column for each of their
// numbers, named embedding_0 and scores.LABEL, and so has an array of which a number is dropped; these names
// can be kept, too (see field_part.h). A kept part is a field of that name in JSONL.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/drop_list.h"
#include "io/field_part.h"
#include "io/format.h"
#include "io/output.h"
#include "json/json.h"

namespace bert::io {

// A record that a table has no place for.
struct UnfitRecord {
  int64_t place;        // of the record, see Record
  std::string message;  // "FILE:LINE: what"
};

class OutputFields {
 public:
  OutputFields(Format format, std::vector<std::string> keep, DropList drop = {});

  // What an Output has to collect for write().
  Output::Rows wanted() const;

  // Where the following records are from. `alike`: all have the same fields, as the rows of one table do;
  // then it is an error at the first record if it lacks a name that was given. Of several FILEs, each must
  // have the names of --keep.
  enum class Fields { alike, any };
  enum class Files { one, several };
  void set_origin(std::string_view file, Fields fields, Files files);

  // Appends the rows of an Output; must be called with all of them, in order. Leaves out records with fields
  // for which the table has no column, except `truncated`, and returns them; with OnError::stop nothing after
  // the first one is written.
  std::vector<UnfitRecord> write(const Output& output, OnError on_error, std::string& out);
  // Appends the header of a table without records, if its columns are known.
  void end(std::string& out);

  // A message for each name that no record had; none without records.
  std::vector<std::string> unknown_names() const;

 private:
  struct Column {
    std::string name;
    std::vector<bool> numbers = {};         // of an array: whether each is written, in a column of its own
    std::vector<std::string> members = {};  // of `scores`: names, each of which has a column
  };

  void look_at(const OutputRow& fields);
  void require_kept(const OutputRow& fields);
  void append_kept(const OutputRow& fields, std::string& out);
  void append_header(const OutputRow& fields, std::string& out);
  Column column_of(const std::string& name, const OutputRow& fields) const;
  void append_row(const OutputRow& fields, std::string& out);
  void append_cell(std::string& out, const FieldValue& value);
  void append_vector(std::string& out, const Column& column, std::string_view value) const;
  void append_members(std::string& out, const Column& column, std::string_view value);
  void end_row(std::string& out, size_t begin) const;
  // Throws Error if the table has no column for a field.
  void require_known(const OutputRow& fields) const;

  const FormatEntry& format_;
  const std::vector<std::string> keep_;
  const DropList drop_;
  std::string file_;  // that the records are from
  Fields alike_ = Fields::any;
  Files files_ = Files::one;
  bool checks_kept_ = false;        // the next record is the first one of a further table
  std::vector<bool> found_;         // for each name of keep_: whether a record had it
  std::vector<std::string> first_;  // names of the fields of the first record; if needed, and their parts
  std::vector<Column> columns_;     // of a table, from its first record on
  std::vector<std::string> known_;  // without --keep: the fields that they hold
  bool has_header_ = false;
  json::Document document_;
};

}  // namespace bert::io
