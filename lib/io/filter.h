// Interface of the work a tool does on records. The stream that runs it is ordered, bounded and
// multi-threaded:
//
//   read chunk → prepare each record → compute → finish each record → write in order
//
// A reader thread splits the inputs into chunks of records and a writer thread writes finished chunks in
// input order; both only block on I/O. prepare and finish run as background tasks of the pool, several chunks
// at once. compute runs on the driver, one call at a time, in input order, and may use the whole pool for
// grids. The chunks are in a bounded ring, so memory does not grow with the input. Records that have been
// read are processed at once, without waiting for more input.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "io/output.h"
#include "io/record.h"

namespace bert {
class Log;
class OutputFile;
}  // namespace bert

namespace bert::io {

class Filter {
 public:
  virtual ~Filter() = default;

  // Reads what one record needs into record.work. An Error concerns this record: the message is prefixed with
  // "FILE:LINE: ", and OnError decides whether the stream stops or skips the record. The same holds for
  // finish.
  virtual void prepare(const Fields& fields, Record& record) const = 0;

  // Number of tokens that compute must process for this record. compute is called with as many records as fit
  // the budget, at least one. A record with cost 0 goes straight to finish. An Error in compute ends the
  // stream.
  virtual int64_t cost(const Record&) const { return 0; }
  virtual void compute(std::span<Record* const>) {}

  // The most records of a chunk, if their output is large.
  virtual size_t chunk_records() const { return std::numeric_limits<size_t>::max(); }

  // Appends the record's output. `out` is shared by all records of the chunk; on Error, what this call
  // appended is dropped.
  virtual void finish(Record& record, Output& out) const = 0;

  // Numbers in a row, for formats of rows. Asked when all records have been written.
  virtual int64_t row_width() const { return 0; }

  // After the last record, before release: the number of records read, bad ones included. Not called if the
  // stream stopped at a bad record.
  virtual void all_read(int64_t /*records*/) {}

  // After the last record: appends withheld output; called again until it returns false.
  enum class Ending { complete, stopped };  // stopped: at a bad record, after the records before it
  virtual bool release(Ending, Output& /*out*/) { return false; }
  virtual void end(Output& /*out*/) {}  // after release, if complete: a summary

  // Called after all output is written, even if the stream stopped at a bad record, with the number of
  // written records that have Record::truncated set. Not called for 0.
  virtual void report_truncated(int64_t /*records*/) const {}

  // Whether end() tells that there were no records.
  virtual bool tells_of_none() const { return false; }

  // Called when all records have been written: for notes about them.
  virtual void report(Log& /*log*/) const {}

  // Called after end, before the output gets its name.
  virtual void before_commit(const OutputFile& /*output*/) {}
  // The output is complete and has its name. An Error ends the run, but the output stays.
  virtual void committed() {}
};

}  // namespace bert::io
