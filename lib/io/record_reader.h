// Parses and validates records and passes their fields to a filter.
#pragma once

#include <string_view>
#include <vector>

#include "io/chunk.h"
#include "io/filter.h"
#include "io/stream.h"
#include "json/json.h"

namespace bert::io {

// Reuses its memory for each chunk. One thread at a time.
class RecordReader {
 public:
  explicit RecordReader(InvalidUtf8 invalid_utf8) : invalid_utf8_(invalid_utf8) {}

  // Fills chunk.records from chunk.cuts and prepares each record.
  void prepare(Chunk& chunk, const Filter& filter, OnError on_error);

  bool oversized() const { return largest_json_ > kKeepJson; }  // destroy it instead of reusing it

 private:
  static constexpr size_t kKeepJson = 1 << 20;

  void read(Record& record, Chunk& chunk, const Filter& filter);
  void read_json(Record& record, Chunk& chunk, const Filter& filter);
  void make_json(Record& record, Chunk& chunk) const;
  // `begin`: offset of the record in its line.
  json::Value parse(Record& record, Chunk& chunk, size_t begin);
  void mend_utf8(Record& record, Chunk& chunk, size_t begin) const;

  InvalidUtf8 invalid_utf8_;
  json::Document document_;
  size_t largest_json_ = 0;
  bool chunk_is_utf8_ = false;
  std::vector<std::string_view> values_;
};

// Appends the output of chunk.records to chunk.out.
void finish_records(Chunk& chunk, const Filter& filter, OnError on_error);

}  // namespace bert::io
