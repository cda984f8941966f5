// What a tool does to records, and the stream that does it: ordered, bounded and multi-threaded.
//
//   read chunk → prepare each record → compute → finish each record → write in order
//
// A reader thread cuts the inputs into chunks of records and a writer thread writes finished chunks in the order of
// input; both only block on I/O. prepare and finish run as background tasks of the pool, several chunks at once;
// compute runs on the driver, one call at a time, in the order of input, and may use the whole pool for grids. A
// bounded ring of chunks joins them, so memory does not grow with the input, and no one waits for more input
// while there is work: what has been read is answered at once.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "base/pool.h"
#include "io/json.h"

namespace bert::io {

class Record;

// What a filter keeps of one record between prepare and finish.
struct Work {
  virtual ~Work() = default;
};

// The fields of a record while it is prepared; the views end with the call. Text input has one field, the text field.
class Fields {
 public:
  // The field's text; nullopt when the record has none. Error (`field "text" is a number, expected a string`)
  // otherwise, and when the key stands twice.
  std::optional<std::string_view> text(std::string_view name) const;
  std::string_view required_text(std::string_view name) const;  // Error `field "text" is missing`
  std::optional<Json> json(std::string_view name) const;        // any value; always nullopt for text and TSV
};

// The fields a filter adds to one record.
class Added {
 public:
  // Begins the field and returns the string to which its JSON text is to be appended, before the next call.
  std::string& field(std::string_view name);
};

class Filter {
 public:
  virtual ~Filter() = default;

  // Reads what one record needs into record.work. An Error is the record's: `FILE:LINE: ` is put in front, and
  // --on-error says whether the stream stops before it or goes on without it. The same for finish.
  virtual void prepare(const Fields& fields, Record& record) const = 0;

  // Tokens that compute has to run for this record; compute is called with as many records as the budget takes.
  virtual int64_t cost(const Record&) const { return 0; }
  virtual void compute(std::span<Record* const>) {}

  // Appends the record's output. `out` is shared by the chunk's records; on an Error what this call appended is dropped.
  virtual void finish(Record& record, std::string& out) const = 0;

  virtual void begin(std::string& /*out*/) {}  // before the first record: a file header
  virtual void end(std::string& /*out*/) {}    // after the last one, when nothing failed: a summary
};

}  // namespace bert::io
