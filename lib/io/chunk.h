// Runs of records, passed from the reader through a filter to the writer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/output.h"
#include "io/record.h"

namespace bert::io {

// A longer cell of CSV has an opening quote by mistake. Bounds the memory for one.
constexpr size_t kMostQuotedBytes = 64 << 20;

// Position of a record in Chunk::data, without its line end.
struct Cut {
  size_t begin, size;
  int64_t line;
  bool starts_document = false;  // CoNLL: after -DOCSTART-

  // CSV: whether a quote in this line is not closed before the end of the FILE, is not closed within
  // kMostQuotedBytes, or is closed in another line by a quote that text follows. Only the line is the record.
  enum class Quote : uint8_t { closed, endless, too_long, followed };
  Quote quote = Quote::closed;
  int64_t quoted_lines = 0;  // up to that place
};

// A run of consecutive records, passed from the reader to the writer.
struct Chunk {
  int64_t number = -1;  // from 0, over all inputs

  // Set by the reader. All records are from the same FILE.
  std::shared_ptr<const Source> source;
  std::string data;  // json::kPadding bytes longer than the records
  size_t data_size = 0;
  uint64_t offset = 0;     // position of `data` in its FILE
  int64_t characters = 0;  // of the FILE before `data`, if Source::located
  uint64_t read = 0;       // bytes of all inputs read so far
  std::vector<Cut> cuts;
  std::vector<Context> contexts;  // for each cut, if the records have a Context
  int64_t first_place = 0;
  bool header_only = false;  // a table without records, whose columns are still checked

  // Set by prepare and finish.
  std::vector<Record> records;       // the valid ones; views into data and repaired
  std::deque<std::string> repaired;  // text of records that were not UTF-8 or not JSON
  std::string tail;                  // the lines after the last record, if ConllColumns::written_back
  Output output;
  int64_t written = 0;                                   // number of records in `output`
  int64_t truncated = 0;                                 // how many of them had their text truncated
  std::vector<std::pair<int64_t, std::string>> skipped;  // index and message of bad records, OnError::skip
  // Ends the stream after `output`; the reader also sets it (FILE not found).
  std::optional<std::string> failure;

  std::optional<std::string> skipped_file;  // why a FILE without records was left out, OnError::skip

  // Empties it for the next run of records; keeps the memory unless it is unusually large.
  void clear();
};

}  // namespace bert::io
