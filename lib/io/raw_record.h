// A record that has been cut out of its FILE but not parsed.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "io/chunk.h"
#include "io/fields.h"
#include "io/record_reader.h"
#include "io/stream.h"

namespace bert::io {

struct RawRecord {
  std::shared_ptr<const Source> source;
  int64_t line = 0;   // in the FILE, from 1
  int64_t place = 0;  // index over all FILEs, bad records counted
  std::string bytes;  // json::kPadding longer than the record

  size_t size() const { return bytes.size() - json::kPadding; }
};

// Callback for a record; `fields` is valid until it returns. An Error it throws concerns this record.
using UseRecord = std::function<void(const Fields& fields, const Record& record)>;

// Parses such records one at a time, with the same rules and messages as the stream.
class RawRecordReader {
 public:
  RawRecordReader(InvalidUtf8 invalid_utf8, OnError on_error)
      : invalid_utf8_(invalid_utf8), on_error_(on_error), reader_(invalid_utf8) {}

  // Calls `use` once; moves the bytes out of `raw`. A bad record throws Error "FILE:LINE: what"; with
  // OnError::skip the message is returned instead.
  std::optional<std::string> read(RawRecord& raw, const UseRecord& use);

 private:
  InvalidUtf8 invalid_utf8_;
  OnError on_error_;
  RecordReader reader_;
  Chunk chunk_;
};

}  // namespace bert::io
