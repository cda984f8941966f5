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
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/log.h"
#include "comm/communicator.h"
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

  // The records of FILEs for which `chosen` is this value; nullptr: all.
  struct Part {
    std::shared_ptr<const std::vector<bool>> chosen;
    bool value = false;
  };
  Part part = {};

  // The processes that read the records together. Each reads its own from the FILEs; rank 0 reads a pipe and
  // sends each rank its own. nullptr: only this one.
  comm::Communicator* ranks = nullptr;
};

// Position of training in its data, stored in checkpoints. With the same options and input, the following
// steps are the same.
struct DataPosition {
  int64_t drawn = 0;               // records before the one with the next example
  int64_t within = 0;              // number of its examples already used
  int64_t records = 0, bytes = 0;  // of the FILEs, to recognize them; 0 for a pipe
  uint64_t checksum = 0;           // RecordSource::checksum or drawn_checksum; 0 if unknown
  // EpochOrder::Change, without `had`, if the records were changed during the run.
  std::optional<int64_t> changed_at, changed_epoch;

  bool operator==(const DataPosition&) const = default;
};

// A record that all ranks have drawn. One of them reads it.
struct Drawn {
  int64_t number = 0;  // of records drawn before
  int64_t epoch = 0;   // from 0; always 0 for a pipe
  int64_t index = 0;   // in the FILEs
  io::RawRecord raw;   // of a pipe that one process reads
};

inline int reader_of(const Drawn& record, int ranks) { return record.number % ranks; }

// A record that another rank than its reader needs.
struct Move {
  const Drawn* record;
  int to;
};

class RecordSource {
 public:
  struct Range {
    int64_t begin, end;
  };
  using Use = std::function<void(const io::Fields& fields, const io::Record& record, int64_t epoch)>;

  virtual ~RecordSource() = default;

  // Draws the next record that is not known to be bad. Returns false at the end or when interrupted.
  virtual bool draw(Drawn& record) = 0;
  // Passes a record to `use`; only by its reader, or after bring(). A bad record throws Error, or its message
  // is returned, as set in the stream's options.
  std::optional<std::string> read(Drawn& record, const Use& use);
  // Reports a bad record and leaves it out from now on. Throws Error if no other is left.
  void skip(const Drawn& record, const std::string& message);
  // Throws Error if the input that has ended had no valid record.
  void require_valid() const;

  // All ranks call it with the same moves: makes each record readable by the rank that needs it. Ends the
  // need for those before `drawn`.
  virtual void bring(std::span<const Move> moves, int64_t drawn) = 0;

  virtual bool interrupted() const { return false; }

  // Passes a valid record to `use` without drawing it, for choices that depend on the records. Returns false
  // if there is none near the beginning.
  bool peek(const Use& use);

  // The records that this process can read before any is drawn: its part of those in FILEs, or those in the
  // shuffle buffer of a pipe, which is filled first.
  virtual Range known() = 0;
  // Copies of the first of these records, at least of one. Any thread may call it.
  virtual std::vector<io::RawRecord> copy(Range records) const = 0;
  bool skips() const { return on_error_ == io::OnError::skip; }  // bad records, instead of throwing Error
  io::InvalidUtf8 invalid_utf8() const { return invalid_utf8_; }
  // Leaves out a bad record of FILEs from now on, as skip() does, but does not report it.
  void leave_out(int64_t i);
  virtual bool is_left_out(int64_t /*record*/) const { return false; }

  int64_t drawn() const { return drawn_; }        // records so far, including bad ones
  int64_t skipped() const { return skipped_; }    // bad records reported
  void report_skipped(int64_t others = 0) const;  // "3 records skipped"

  // Continues after `drawn` draws. A pipe can only move forward; throws Error if it ends before, or if its
  // drawn_checksum() is then not `checksum`, unless that is 0.
  virtual void skip_to(int64_t drawn, uint64_t checksum = 0) = 0;

  // Adopts the order of a run that was at `position`. `listed`: what list_entry() was for each record then;
  // if it is empty, the records must be the same. Returns the position from which to continue in the records
  // as they are now, and what has changed in them ("" if nothing). No draws are made.
  struct Continued {
    DataPosition position;
    std::string changes;
    std::string refusal{};  // why the records cannot be those of the run
  };
  virtual Continued continue_from(const DataPosition& position, std::span<const uint64_t> listed);
  // For each record of FILEs: its fingerprint, and in the lowest bit, whether EpochOrder::Change has it in
  // `had`.
  virtual uint64_t list_entry(int64_t) const { return 0; }
  // What is the same in all list entries of a record.
  static uint64_t identity_of(uint64_t list_entry) { return list_entry & ~uint64_t{1}; }

  // Number of records and bytes in FILEs; 0 for a pipe.
  virtual int64_t records() const { return 0; }
  virtual int64_t bytes() const { return 0; }
  virtual uint64_t checksum() const { return 0; }  // of the records in FILEs
  std::string description() const;                 // what tells these records from others
  // Checksum of the first `drawn` records drawn from a pipe; `drawn` must not decrease.
  virtual uint64_t drawn_checksum(int64_t) { return 0; }
  virtual int64_t draws() const { return 0; }  // in all epochs over FILEs; 0 if it is unknown
  // Number of epochs over FILEs that are complete after `drawn` draws.
  virtual int64_t epochs_before(int64_t /*drawn*/) const { return 0; }

  // Returns a copy of the i-th record to come, from 0; nullopt if it cannot be read ahead.
  virtual std::optional<io::RawRecord> ahead(int64_t i) = 0;

 protected:
  RecordSource(const io::StreamOptions& stream, Log& log);

  virtual io::RawRecord raw(Drawn& record) { return std::move(record.raw); }
  virtual bool is_bad(const Drawn&) const { return false; }
  virtual void mark_bad(int64_t /*index*/) {}

  int64_t drawn_ = 0;

 private:
  const io::InvalidUtf8 invalid_utf8_;
  const io::OnError on_error_;
  io::RawRecordReader reader_, peek_reader_;
  Log& log_;
  int64_t skipped_ = 0;
};

// Epochs over FILEs, or one pass if stdin or a FIFO is among them (no FILEs: stdin). Reads FILEs once to find
// their records. `log` must outlive the source.
std::unique_ptr<RecordSource> open_records(const io::StreamOptions& stream, const SourceOptions& options,
                                           Log& log);

}  // namespace bert::examples
