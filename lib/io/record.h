// One input record, from cutting it out of a FILE until its output is written.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "io/csv.h"
#include "io/input_format.h"

namespace bert::io {

// What a filter stores for one record between prepare and finish.
struct Work {
  virtual ~Work() = default;
};

// What the records of one FILE share. Outlives these records.
struct Source {
  std::string name;                  // as given on the command line; "-" is stdin
  InputFormat format;                // never automatic
  bool format_guessed = false;       // from the first bytes, so a wrong guess may cause an error
  std::vector<std::string> columns;  // for TSV and CSV; for text formats only the text field

  char cell_end() const { return format == InputFormat::csv ? kCellEnd : '\t'; }  // in Record::raw()
};

class Record {
 public:
  Record(const Source& source, int64_t line, int64_t place, std::string_view raw)
      : source_(&source), line_(line), place_(place), raw_(raw) {}

  const Source& source() const { return *source_; }
  const std::string& file() const { return source_->name; }
  int64_t line() const { return line_; }    // in FILE, from 1; the first line if the record has several
  int64_t place() const { return place_; }  // index from 0 over all FILEs, bad records counted
  std::string_view raw() const {
    return raw_;
  }                           // without the line end; JSON up to its closing brace;
                              // of CSV csv_cells()
  std::string where() const;  // "reviews.jsonl:17"

  // Set by the filter if it truncated the text; the stream counts such records.
  bool truncated = false;

  // Owned by the filter; created by prepare, read by compute and finish.
  std::unique_ptr<Work> work;
  template <class T>
  T& work_as() const {
    return static_cast<T&>(*work);
  }

 private:
  friend class RecordReader;  // validates; may set raw_ to repaired text or to JSON; fills keys_
  friend class RecordWriter;

  const Source* source_;
  int64_t line_;
  int64_t place_;
  std::string_view raw_;
  uint64_t keys_ = 0;  // json::key_bit()s of a JSON record's keys: if a key's bit is 0, the key is absent
};

}  // namespace bert::io
