// What a tool does to records, and the stream that does it: ordered, bounded and multi-threaded.
//
//   read chunk → prepare each record → compute → finish each record → write in order
//
// A reader thread cuts the inputs into chunks of records and a writer thread writes finished chunks in the
// order of input; both only block on I/O. prepare and finish run as background tasks of the pool, several
// chunks at once; compute runs on the driver, one call at a time, in the order of input, and may use the
// whole pool for grids. A bounded ring of chunks joins them, so memory does not grow with the input, and no
// one waits for more input while there is work: what has been read is answered at once.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "io/fields.h"
#include "io/record.h"
#include "io/record_writer.h"

namespace bert {
class OutputFile;
}

namespace bert::io {

class Filter {
 public:
  virtual ~Filter() = default;

  // Reads what one record needs into record.work. An Error is the record's: "FILE:LINE: " is put in front,
  // and OnError says whether the stream stops before it or goes on without it. The same for finish.
  virtual void prepare(const Fields& fields, Record& record) const = 0;

  // Tokens that compute has to run for this record; compute is called with as many records as fit the budget,
  // at least one. A record that costs nothing goes straight to finish. An Error of compute ends the stream.
  virtual int64_t cost(const Record&) const { return 0; }
  virtual void compute(std::span<Record* const>) {}

  // Appends the record's output. `out` is shared by the chunk's records: on an Error what
  // this call appended is dropped.
  virtual void finish(Record& record, std::string& out) const = 0;

  virtual void begin(std::string& /*out*/) {}  // before the first record: a file header
  // Between the outputs of two records, wherever these came from; not called for each.
  virtual std::string_view separator() const { return {}; }

  // After the last record: what was held back, piece by piece until it returns false.
  enum class Ending { complete, stopped };  // stopped: at a bad record; those before it were the last
  virtual bool release(Ending, std::string& /*out*/) { return false; }
  virtual void end(std::string& /*out*/) {}  // then, when complete: a summary

  // Once all is written, also when the stream stopped at a bad record: how many of the records that came out
  // have Record::truncated. Not called for 0.
  virtual void report_truncated(int64_t /*records*/) const {}

  // After end, before the output gets its name: may rewrite bytes at the beginning, such as a row count.
  virtual void patch(OutputFile& /*output*/) {}
};

}  // namespace bert::io
