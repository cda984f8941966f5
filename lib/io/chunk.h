// A run of consecutive records on its way from the reader to the writer.
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

// Where a record stands in Chunk::data, its line end not included.
struct Cut {
  size_t begin, size;
  int64_t line;
};

struct Chunk {
  int64_t number = -1;  // from 0, over all input

  // By the reader. All records are of one FILE.
  std::shared_ptr<const Source> source;
  std::string data;  // kJsonPadding bytes longer than the records
  size_t data_size = 0;
  uint64_t offset = 0;  // of data in its FILE
  std::vector<Cut> cuts;
  int64_t first_place = 0;

  // By prepare and finish.
  std::vector<Record> records;       // the good ones; views into data and repaired
  std::deque<std::string> repaired;  // text of records that were not UTF-8, or not JSON
  std::string out;
  int64_t written = 0;                                   // records in out
  int64_t truncated = 0;                                 // of these, the ones whose text was cut
  std::vector<std::pair<int64_t, std::string>> skipped;  // place and message of bad records, OnError::skip
  std::optional<std::string>
      failure;  // ends the stream after `out`; by the reader as well (a FILE that is not there)

  // Makes it empty for the next run of records, keeping memory of ordinary size.
  void clear();
};

}  // namespace bert::io
