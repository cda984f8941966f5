// The examples of the records to come, in training order, for all ranks together: each record is read by one
// rank, which tells the others how many examples it has and how long they are.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "comm/communicator.h"
#include "examples/example.h"
#include "examples/record_source.h"

namespace bert::examples {

// What a rank has found in a record: its examples, or why it has none.
struct Contents {
  enum class Found : int64_t { examples, skipped, fatal };

  Found found = Found::examples;
  std::string text;  // where the record is, "FILE:LINE"; or the error
  std::vector<Outline> outlines = {};
  Examples examples = {};  // empty on the ranks that have not read them
};

// The contents of the records of a block, given those that this rank has read; both in order. All ranks call
// it.
std::vector<Contents> gather_contents(comm::Communicator& ranks, std::span<const Drawn> block,
                                      std::vector<Contents> own);

class ExampleQueue {
 public:
  struct Entry {
    Drawn record;
    Outline outline;
    std::unique_ptr<Example> example;  // nullptr: another rank has read it
  };

  // All must outlive the queue.
  ExampleQueue(RecordSource& source, const ExampleReader& reader, comm::Communicator& ranks);

  // The next example; nullptr at the end of the data or when the source was interrupted. Bad records throw
  // Error or are skipped and reported when their turn comes.
  const Entry* front();
  Entry take();  // removes it
  // The next example if it belongs to the same record as the one taken last, otherwise nullptr.
  const Entry* rest_of_record() const;

  // Continues with the example `within` of the record that follows `drawn` others. `checksum`: see
  // RecordSource.
  void skip_to(int64_t drawn, int64_t within, uint64_t checksum);

  int reader_of(const Entry& entry) const { return bert::examples::reader_of(entry.record, ranks_.size()); }
  // Gives each example to its owner, a rank. Owners read the records of the examples that they do not have
  // yet. Returns this rank's examples, in order, and nullptr for the others. Records before `drawn` are not
  // needed afterwards.
  Examples give(std::vector<Entry> entries, const std::vector<int>& owners, int64_t drawn);

 private:
  using Found = Contents::Found;
  struct Waiting : Entry {
    Found found = Found::examples;
    std::string error = {};  // of a bad record
  };

  bool read_block();
  Contents read(Drawn& record);
  void add(const Drawn& record, Contents contents);
  std::unique_ptr<Example> read_again(Entry& entry);

  RecordSource& source_;
  const ExampleReader& reader_;
  comm::Communicator& ranks_;
  std::deque<Waiting> waiting_;
  int64_t leave_out_ = 0;  // examples of the next record, after skip_to

  // The record that was read again last.
  int64_t again_ = -1;
  Examples examples_;
};

}  // namespace bert::examples
