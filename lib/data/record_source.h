// The order in which records train a model.
//
// FILEs are read again for each epoch, which is a permutation of all records: a function of seed and epoch.
// Of a pipe there is one pass, through a shuffle buffer: the next record is drawn from the buffer at random
// and the one behind it in the input takes its place.
//
//   buffer of 3, input 0 1 2 3 4 …    0 1 2 -> 1    0 3 2 -> 2    0 3 4 -> …
//
// Either way the n-th record drawn is a function of input, seed and n alone. So a run is resumed by its
// number of draws: at once with FILEs, by reading and drawing again, but not parsing, with a pipe.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "base/log.h"
#include "io/pull_reader.h"
#include "io/raw_record.h"
#include "io/record_index.h"
#include "io/stream.h"

namespace bert::data {

struct SourceOptions {
  enum class Order { shuffled, given };  // given: as they come in the input, each epoch

  Order order = Order::shuffled;
  uint64_t seed = 0;
  std::optional<int64_t> epochs;  // nullopt: without end. More than one needs FILEs
  // The shuffle buffer of a pipe is full when it holds so many records, or bytes of them.
  int64_t buffer_records = 16384;
  int64_t buffer_bytes = int64_t{256} << 20;
  io::Interrupted interrupted;  // ends the wait for a pipe
};

class RecordSource {
 public:
  // The epoch is 0 in the first one, and always of a pipe.
  using Use = std::function<void(const io::Fields& fields, const io::Record& record, int64_t epoch)>;

  virtual ~RecordSource() = default;

  // Draws until `use` has taken a record without an Error; false at the end, or when interrupted() before it.
  // Bad records are an Error or skipped, as the stream's options say; one that is skipped is named once.
  // Error "no records" when there is not one, or not one good one in the input or in an epoch.
  bool next(const Use& use);
  virtual bool interrupted() const { return false; }

  // Shows a good record without drawing it, so that a run can be made for its records; false when there is
  // none near the beginning.
  bool peek(const Use& use);

  // Shows each good record of FILEs, in the order of the input, without drawing it. Errors are those of
  // next(); records that are to be skipped are left out without a word.
  void each(const Use& use);

  int64_t drawn() const { return drawn_; }      // records so far, bad ones counted
  int64_t skipped() const { return skipped_; }  // bad ones that have been named
  void report_skipped() const;                  // "3 records skipped", as streams end

  // The next draw is the one after `drawn` draws. A pipe goes forward only, and is an Error when it ends
  // before.
  virtual void skip_to(int64_t drawn) = 0;

  // Of FILEs: how many records there are, and bytes; 0 of a pipe.
  virtual int64_t records() const { return 0; }
  virtual int64_t bytes() const { return 0; }

 protected:
  RecordSource(const io::StreamOptions& stream, Log& log);

  // Gives the next record and its epoch and counts it; false at the end or when interrupted.
  virtual bool draw(io::RawRecord& record) = 0;
  virtual void drawn_is_bad() {}
  // A copy of one of the records to come, for i from 0; nullopt: no more than i can be looked at.
  virtual std::optional<io::RawRecord> ahead(int64_t i) = 0;
  virtual int64_t epoch() const { return 0; }  // of the record drawn last

  int64_t drawn_ = 0;

 private:
  io::RawRecordReader reader_, peek_reader_;
  Log& log_;
  int64_t skipped_ = 0;
};

// Epochs of FILEs, or one pass when stdin or a FIFO is among them (none: stdin). FILEs are read once here, to
// find their records. `log` outlives the source.
std::unique_ptr<RecordSource> open_records(const io::StreamOptions& stream, const SourceOptions& options,
                                           Log& log);

}  // namespace bert::data
