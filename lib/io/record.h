// One record of the input, from the moment it is cut out of a FILE until its output is written.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "io/input_format.h"

namespace bert::io {

// What a filter keeps of one record between prepare and finish.
struct Work {
  virtual ~Work() = default;
};

// What the records of one FILE have in common. Lives as long as they do.
struct Source {
  std::string name;                  // as given on the command line; "-" is stdin
  InputFormat format;                // never automatic
  bool format_guessed = false;       // from the first bytes, so an error may come of a wrong guess
  std::vector<std::string> columns;  // of TSV; of text in any form the text field alone
};

class Record {
 public:
  Record(const Source& source, int64_t line, int64_t place, std::string_view raw)
      : source_(&source), line_(line), place_(place), raw_(raw) {}

  const Source& source() const { return *source_; }
  const std::string& file() const { return source_->name; }
  int64_t line() const { return line_; }         // of FILE, from 1; the first when it has several
  int64_t place() const { return place_; }       // from 0 over all FILEs, bad records counted
  std::string_view raw() const { return raw_; }  // without the line end; JSON up to its closing brace
  std::string where() const;                     // "reviews.jsonl:17"

  // Set by the filter when it cut the text; the stream counts the records it wrote.
  bool truncated = false;

  // The filter's own; made by prepare, read by compute and finish.
  std::unique_ptr<Work> work;
  template <class T>
  T& work_as() const {
    return static_cast<T&>(*work);
  }

 private:
  friend class RecordReader;  // validates; may replace raw_ by repaired text or by JSON, and fills keys_
  friend class RecordWriter;

  const Source* source_;
  int64_t line_;
  int64_t place_;
  std::string_view raw_;
  uint64_t keys_ = 0;  // a bit for each key of a JSON record, by hash: a clear bit says the key is not there
};

}  // namespace bert::io
