// Formats an output line from a record and the fields a filter adds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/drop_list.h"
#include "io/record.h"

namespace bert::io {

// The fields that a filter adds to one record, in order; at most 64. Reuse after clear() avoids allocations.
class Added {
 public:
  // Starts a field; append its JSON value to the returned string before the next call. `name` must outlive
  // this object's use.
  std::string& field(std::string_view name);
  void clear();

 private:
  friend class RecordWriter;
  struct Field {
    std::string_view name;
    size_t begin;  // of its value in text_; the value ends where the next field begins
  };
  std::string_view value(size_t i) const;
  std::optional<size_t> find(std::string_view name) const;

  std::vector<Field> fields_;
  std::string text_;
};

// Writes a record unchanged except for the added fields. JSON is copied byte for byte up to its closing
// brace; an added field replaces the value of a field of the same name, otherwise it is appended without
// white space. Text is written as {"text": ...}, TSV as an object of all its columns. Any number of threads
// may share it.
class RecordWriter {
 public:
  // `drop`: names of fields to leave out, both original and added ones.
  explicit RecordWriter(DropList drop = {});

  // Appends one line. May be called several times for one record. Error if an added field would replace a key
  // that the record repeats.
  void write(const Record& record, const Added& added, std::string& out) const;

 private:
  // Append the record without its closing brace. Return which added fields were written in place, one bit for
  // each.
  uint64_t write_json(const Record& record, const Added& added, std::string& out) const;
  uint64_t rewrite_json(const Record& record, const Added& added, std::string& out) const;
  uint64_t write_columns(const Record& record, const Added& added, std::string& out) const;

  DropList drop_;
  uint64_t drop_keys_ = 0;  // their json::key_bit()s, as in Record::keys_
};

}  // namespace bert::io
