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
#include <span>
#include <string>
#include <string_view>

#include "io/record.h"
#include "io/record_writer.h"

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

  // Appends the record's output. `out` is shared by all records of the chunk; on Error, what this call
  // appended is dropped.
  virtual void finish(Record& record, std::string& out) const = 0;

  // Whether finish appends only the output of its own record, so that messages about it can name the record.
  virtual bool writes_own_output() const { return true; }

  virtual void begin(std::string& /*out*/) {}  // before the first record: a file header
  // Written between the outputs of two records.
  virtual std::string_view separator() const { return {}; }

  // After the last record, before release: the number of records read, bad ones included. Not called if the
  // stream stopped at a bad record.
  virtual void all_read(int64_t /*records*/) {}

  // After the last record: appends withheld output; called again until it returns false.
  enum class Ending { complete, stopped };  // stopped: at a bad record, after the records before it
  virtual bool release(Ending, std::string& /*out*/) { return false; }
  virtual void end(std::string& /*out*/) {}  // after release, if complete: a summary

  // Called after all output is written, even if the stream stopped at a bad record, with the number of
  // written records that have Record::truncated set. Not called for 0.
  virtual void report_truncated(int64_t /*records*/) const {}

  // Called when all records have been written: for notes about them.
  virtual void report(Log& /*log*/) const {}

  // Called after end, before the output gets its name. May overwrite bytes at the beginning, such as a row
  // count.
  virtual void patch(OutputFile& /*output*/) {}
  // The output is complete and has its name. An Error ends the run, but the output stays.
  virtual void committed() {}
};

}  // namespace bert::io
