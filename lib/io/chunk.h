// A run of consecutive records, passed from the reader to the writer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/record.h"

namespace bert::io {

// Position of a record in Chunk::data, without its line end.
struct Cut {
  size_t begin, size;
  int64_t line;
};

struct Chunk {
  int64_t number = -1;  // from 0, over all inputs

  // Set by the reader. All records are from the same FILE.
  std::shared_ptr<const Source> source;
  std::string data;  // json::kPadding bytes longer than the records
  size_t data_size = 0;
  uint64_t offset = 0;  // position of `data` in its FILE
  uint64_t read = 0;    // bytes of all inputs read so far
  std::vector<Cut> cuts;
  int64_t first_place = 0;

  // Set by prepare and finish.
  std::vector<Record> records;       // the valid ones; views into data and repaired
  std::deque<std::string> repaired;  // text of records that were not UTF-8 or not JSON
  std::string out;
  int64_t written = 0;                                   // number of records in `out`
  int64_t truncated = 0;                                 // how many of them had their text truncated
  std::vector<std::pair<int64_t, std::string>> skipped;  // index and message of bad records, OnError::skip
  std::optional<std::string>
      failure;  // ends the stream after `out`; the reader also sets it (FILE not found)

  // Empties it for the next run of records; keeps the memory unless it is unusually large.
  void clear();
};

}  // namespace bert::io
