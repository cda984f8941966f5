// Makes a line of output of a record and the fields a filter adds to it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/record.h"

namespace bert::io {

// The fields a filter adds to one record, in order; at most 64. Used again after
// clear(), it allocates nothing.
class Added {
 public:
  // Begins the field and returns the string to which its JSON text is to be appended, before the next call.
  // `name` must outlive this object's use.
  std::string& field(std::string_view name);
  void clear();

 private:
  friend class RecordWriter;
  struct Field {
    std::string_view name;
    size_t begin;  // of its value in text_; the next field's begin is its end
  };
  std::string_view value(size_t i) const;
  std::optional<size_t> find(std::string_view name) const;

  std::vector<Field> fields_;
  std::string text_;
};

// A record leaves as it came: JSON byte for byte up to its closing brace, with the values of added fields in
// the place of those of the same name, and the other added ones appended compactly; text as {"text": ...} and
// TSV as an object of all its columns. May be used by any number of threads.
class RecordWriter {
 public:
  // `drop` names fields that are left out, whether they came with the record or are added.
  explicit RecordWriter(std::vector<std::string> drop = {});

  // Appends one line. May be called several times for one record. Error when an added field is to replace one
  // that stands in the record twice.
  void write(const Record& record, const Added& added, std::string& out) const;

 private:
  bool dropped(std::string_view name) const;
  // These append the record without its closing brace and return which added fields went in
  // place, a bit for each.
  uint64_t write_json(const Record& record, const Added& added, std::string& out) const;
  uint64_t rewrite_json(const Record& record, const Added& added, std::string& out) const;
  uint64_t write_columns(const Record& record, const Added& added, std::string& out) const;

  std::vector<std::string> drop_;
  uint64_t drop_keys_ = 0;  // their bits, as in Record::keys_
};

}  // namespace bert::io
