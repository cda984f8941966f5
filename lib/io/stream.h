// Runs a Filter over the inputs: ordered, bounded in memory, on all threads of the pool and two more that
// only block on I/O. filter.h says what a filter does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/pool.h"
#include "io/fields.h"
#include "io/filter.h"
#include "io/input.h"
#include "io/input_format.h"

namespace bert::io {

enum class OnError { stop, skip };
enum class InvalidUtf8 { error, replace };
enum class ShowProgress { automatic, always, never };  // automatic: when stderr is a terminal

struct StreamOptions {
  std::vector<std::string> files;  // none or "-": stdin
  std::string output = "-";        // "-": stdout
  InputFormat input_format = InputFormat::automatic;
  std::vector<std::string> columns;    // of TSV without a header line
  std::string text_field = "text";     // the one field of text input
  std::string pair_field{kPairField};  // for filters; the stream does not look at it
  std::vector<std::string> drop;       // for the filter's RecordWriter
  OnError on_error = OnError::stop;
  InvalidUtf8 invalid_utf8 = InvalidUtf8::error;
  bool line_buffered = false;  // each record is written by itself; also when the output is a terminal
  ShowProgress progress = ShowProgress::automatic;
  int64_t first_record = 0;  // the place of the first record

  // These are set by the tool, not by the user.
  // Looks at the beginning of a FILE whose format is automatic, before the rules that hold for all tools do.
  std::function<std::optional<InputFormat>(Input&)> recognize;
  // A chunk is what one task prepares: small ones answer soon, large ones cost less.
  size_t chunk_bytes = 256 << 10;
  size_t chunk_records = 4096;
  int64_t budget = 2048;  // tokens of one call of Filter::compute
  bool needs_regular_output =
      false;  // a header is rewritten at the end: Error when the output is no regular file
};

// For filters that run a network: a chunk's answers are large, and the first is wanted soon.
constexpr size_t kNetworkChunkBytes = 4 << 10;
constexpr size_t kNetworkChunkRecords = 64;

struct RunResult {
  int64_t records = 0;  // written, skipped ones not counted
  int64_t skipped = 0;
  int64_t truncated = 0;  // of those written
};

// Call it on the thread that made `pool`. All output is written, closed and in its place when it returns.
// Skipped records are losses: log.error names them as they are met, in the order of input, and counts them at
// the end.
//
// Throws Error when the stream fails; what() is the whole message after the program's name, "FILE:LINE: what"
// for a record under OnError::stop, after the records before it have been written. An empty what() means that
// nobody reads the output any more (EPIPE): exit 1 without a word.
RunResult run_stream(const StreamOptions& options, Pool& pool, Log& log, Filter& filter);

// Whether --progress and -q, which the log knows, ask for it.
bool shows_progress(const StreamOptions& options, const Log& log);

}  // namespace bert::io
