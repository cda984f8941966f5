// Selects and formats the fields of output records: --keep and --format tsv|csv.
//
// Works on the JSON lines that a filter has written, in order, so that filters need not know of it. A table
// has a header line with the names of the kept fields or, without --keep, of the fields of the first record.
// `embedding` and `scores` have a column for each of their numbers, named embedding_0 and scores.LABEL.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "json/json.h"

namespace bert::io {

enum class OutputFormat { jsonl, tsv, csv };

class OutputFields {
 public:
  OutputFields(OutputFormat format, std::vector<std::string> keep)
      : format_(format), keep_(std::move(keep)) {}

  bool changes_records() const { return format_ != OutputFormat::jsonl || !keep_.empty(); }

  // Replaces the lines by what is to be written. Throws Error if a record has a field for which the table has
  // no column, except `truncated`.
  void apply(std::string& lines);
  // Appends the header of a table without records, if its columns are known.
  void end(std::string& out);

 private:
  struct Column {
    std::string name;
    size_t width = 0;                       // of `embedding`: numbers, each of which has a column
    std::vector<std::string> members = {};  // of `scores`: names, each of which has a column
  };
  struct Field {
    std::string_view name, value;  // JSON
  };

  void read_fields(std::string_view line);
  const Field* find(std::string_view name) const;
  void append_object(std::string& out) const;
  void append_header(std::string& out);
  void append_row(std::string& out);
  void append_cell(std::string& out, std::string_view value);
  void append_text(std::string& out, std::string text) const;
  void append_vector(std::string& out, const Column& column, std::string_view value) const;
  void append_members(std::string& out, const Column& column, std::string_view value);
  void end_row(std::string& out, size_t begin) const;
  void check_columns() const;
  char separator() const { return format_ == OutputFormat::tsv ? '\t' : ','; }

  OutputFormat format_;
  std::vector<std::string> keep_;
  std::vector<Column> columns_;  // of a table, from its first record on
  bool has_header_ = false;
  json::Document document_;
  std::vector<Field> fields_;
  std::vector<std::string> names_;  // what fields_ view
};

}  // namespace bert::io
