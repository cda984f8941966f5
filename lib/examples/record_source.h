// The order of training records.
//
// Regular FILEs are read again in each epoch, in a random permutation that depends on seed and epoch. A pipe
// is read once, through a shuffle buffer: the next record is drawn at random from the buffer and replaced by
// the next one of the input.
//
//   buffer of 3, input 0 1 2 3 4 …    0 1 2 -> 1    0 3 2 -> 2    0 3 4 -> …
//
// In both cases the n-th record depends only on input, seed and n. So a run resumes by its number of draws:
// directly with FILEs; with a pipe, by reading and drawing again without parsing.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "base/log.h"
#include "io/pull_reader.h"
#include "io/record_index.h"
#include "io/record_reader.h"
#include "io/stream.h"

namespace bert::examples {

struct SourceOptions {
  enum class Order { shuffled, given };  // given: in input order in each epoch

  Order order = Order::shuffled;
  uint64_t seed = 0;
  std::optional<int64_t> epochs;  // nullopt: unlimited. More than one requires regular FILEs
  // The shuffle buffer of a pipe is full when it has this many records or bytes.
  int64_t buffer_records = 16384;
  int64_t buffer_bytes = int64_t{256} << 20;
  io::Interrupted interrupted;  // ends the wait for a pipe
};

class RecordSource {
 public:
  // `epoch` starts at 0; it is always 0 for a pipe.
  using Use = std::function<void(const io::Fields& fields, const io::Record& record, int64_t epoch)>;

  virtual ~RecordSource() = default;

  // Draws until `use` accepts a record without an Error. Returns false at the end of the input or when
  // interrupted. Bad records throw Error or are skipped, as set in the stream's options; each skipped record
  // is reported once. Throws Error if the input, or an epoch, has no valid record.
  bool next(const Use& use);
  virtual bool interrupted() const { return false; }

  // Passes a valid record to `use` without drawing it, for choices that depend on the records. Returns false
  // if there is none near the beginning.
  bool peek(const Use& use);

  // Passes each valid record of FILEs to `use` in input order, without drawing it. Errors are those of
  // next(); skipped records are not reported.
  void each(const Use& use);

  int64_t drawn() const { return drawn_; }      // records so far, including bad ones
  int64_t skipped() const { return skipped_; }  // bad records reported
  void report_skipped() const;                  // "3 records skipped"

  // Continues after `drawn` draws. A pipe can only move forward; throws Error if it ends before.
  virtual void skip_to(int64_t drawn) = 0;

  // Number of records and bytes in FILEs; 0 for a pipe.
  virtual int64_t records() const { return 0; }
  virtual int64_t bytes() const { return 0; }

 protected:
  RecordSource(const io::StreamOptions& stream, Log& log);

  // Returns the next record with its epoch and counts it. Returns false at the end or when interrupted.
  virtual bool draw(io::RawRecord& record) = 0;
  virtual void drawn_is_bad() {}
  // Returns a copy of the i-th record to come, from 0; nullopt if it cannot be read ahead.
  virtual std::optional<io::RawRecord> ahead(int64_t i) = 0;
  virtual int64_t epoch() const { return 0; }  // of the last record drawn

  int64_t drawn_ = 0;

 private:
  io::RawRecordReader reader_, peek_reader_;
  Log& log_;
  int64_t skipped_ = 0;
};

// Epochs over FILEs, or one pass if stdin or a FIFO is among them (no FILEs: stdin). Reads FILEs once to find
// their records. `log` must outlive the source.
std::unique_ptr<RecordSource> open_records(const io::StreamOptions& stream, const SourceOptions& options,
                                           Log& log);

}  // namespace bert::examples
