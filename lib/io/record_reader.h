// Parses and validates records and passes their fields to a filter.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/chunk.h"
#include "io/filter.h"
#include "io/stream.h"
#include "json/json.h"

namespace bert::io {

// A record that has been cut out of its FILE but not parsed.
struct RawRecord {
  std::shared_ptr<const Source> source;
  int64_t line = 0;        // in the FILE, from 1
  int64_t characters = 0;  // of the FILE before the record, if Source::located
  int64_t place = 0;       // index over all FILEs, bad records counted
  std::string bytes;       // json::kPadding longer than the record
  std::optional<Context> context = {};

  size_t size() const { return bytes.size() - json::kPadding; }
};

// Reuses its memory for each chunk. One thread at a time.
class RecordReader {
 public:
  explicit RecordReader(InvalidUtf8 invalid_utf8) : invalid_utf8_(invalid_utf8) {}

  // Fills chunk.records from chunk.cuts and prepares each record.
  void prepare(Chunk& chunk, const Filter& filter, OnError on_error);

  bool oversized() const { return largest_json_ > kKeepJson; }  // destroy it instead of reusing it

 private:
  static constexpr size_t kKeepJson = 1 << 20;

  Location locate(const Cut& cut, const Chunk& chunk);
  void check_header(Chunk& chunk, const Filter& filter);
  void read(Record& record, const Context* context, Chunk& chunk, const Filter& filter);
  Fields read_json(Record& record, Chunk& chunk);
  void make_json(Record& record, Chunk& chunk) const;
  std::span<const float> make_row(Record& record, Chunk& chunk) const;
  // `begin`: offset of the record in its line.
  json::Value parse(Record& record, Chunk& chunk, size_t begin);
  std::unique_ptr<ConllLines> take_lines(ConllLineReader& reader, const Cut& cut, const Source& source) const;
  std::string mended(std::string text) const;
  void mend_utf8(Record& record, Chunk& chunk, size_t begin) const;
  void mend_surrogates(Record& record, Chunk& chunk) const;

  InvalidUtf8 invalid_utf8_;
  json::Document document_;
  size_t largest_json_ = 0;
  bool chunk_is_utf8_ = false;
  size_t counted_ = 0;      // bytes of the chunk,
  int64_t characters_ = 0;  // and those of the FILE up to there
  std::vector<std::string_view> values_;
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

// Appends the output of chunk.records to chunk.output.
void finish_records(Chunk& chunk, const Filter& filter, OnError on_error);

}  // namespace bert::io
