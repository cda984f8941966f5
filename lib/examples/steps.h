// Training steps: micro-batches of examples, in record order.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "comm/communicator.h"
#include "examples/example.h"
#include "examples/example_queue.h"
#include "examples/record_source.h"

namespace bert::examples {

struct StepOptions {
  int64_t sequences = 32;         // in a micro-batch
  std::optional<int64_t> tokens;  // instead: up to this many tokens in a micro-batch, at least one sequence
  int64_t accumulate = 1;         // micro-batches in a step
};

// This rank's examples of a micro-batch, in the order of the data.
struct Batch {
  Examples examples;
  std::vector<uint64_t> sequences;  // the number in the step of each of their sequences, from 0

  // Adds an example; its first sequence has this number.
  void add(std::unique_ptr<Example> example, uint64_t first_sequence);
};

struct Step {
  std::vector<Batch> batches;         // as many on all ranks; a rank may have no examples of one
  int64_t sequences = 0, tokens = 0;  // of all ranks
};

// Steps continue across epochs: every example is used, and only the last step may be short. Several ranks
// share each step by number of tokens (examples/share.h) and read about as much of the data.
class Steps {
 public:
  // All must outlive this object.
  Steps(RecordSource& source, ExampleReader& reader, const StepOptions& options, comm::Communicator& ranks);
  // For one process.
  Steps(RecordSource& source, ExampleReader& reader, const StepOptions& options);

  // Returns false at the end of the data, where position() passes bad records that are skipped, or when the
  // source was interrupted. The step is then discarded and position() does not change.
  bool next(Step& step);

  DataPosition position() const { return position_; }  // after the last step
  // Continues from `position`. Throws Error if the FILEs differ.
  void skip_to(const DataPosition& position);

 private:
  using Entry = ExampleQueue::Entry;
  // Where the data continue after a batch.
  struct Next {
    int64_t drawn = 0, within = 0;
    bool ended = false;
  };
  Next fill(std::vector<Entry>& entries);
  Step deal(std::vector<Entry> entries, const std::vector<int>& owners, const std::vector<size_t>& ends);
  static Next at(const Entry& entry);

  comm::Communicator alone_;
  RecordSource& source_;
  ExampleReader& reader_;
  const StepOptions options_;
  comm::Communicator& ranks_;
  ExampleQueue queue_;
  DataPosition position_;
};

}  // namespace bert::examples
