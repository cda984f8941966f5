// Training steps: micro-batches of examples, in record order.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "examples/example.h"
#include "examples/record_source.h"

namespace bert::examples {

struct StepOptions {
  int64_t sequences = 32;         // in a micro-batch
  std::optional<int64_t> tokens;  // instead: up to this many tokens in a micro-batch, at least one sequence
  int64_t accumulate = 1;         // micro-batches in a step
};

// Position of training in its data, stored in checkpoints. With the same options and input, the following
// steps are the same.
struct DataPosition {
  int64_t drawn = 0;               // records before the one with the next example
  int64_t within = 0;              // number of its examples already used
  int64_t records = 0, bytes = 0;  // of the FILEs, to recognize them; 0 for a pipe

  bool operator==(const DataPosition&) const = default;
};

struct Step {
  std::vector<Examples> batches;  // none is empty
  int64_t sequences = 0, tokens = 0;
};

// Steps continue across epochs: every example is used, and only the last step may be short.
class Steps {
 public:
  // Both arguments must outlive this object.
  Steps(RecordSource& source, ExampleReader& reader, const StepOptions& options);

  // Returns false at the end of the data or when the source was interrupted. The step is then discarded and
  // position() does not change.
  bool next(Step& step);

  DataPosition position() const { return position_; }  // after the last step
  // Continues from `position`. Throws Error if the FILEs differ.
  void skip_to(const DataPosition& position);

 private:
  struct Pending {
    std::unique_ptr<Example> example;
    int64_t drawn, within;
  };
  bool fill(Examples& batch, Step& step);
  bool read_more();

  RecordSource& source_;
  ExampleReader& reader_;
  const StepOptions options_;
  std::deque<Pending> pending_;  // read but not yet used; from one record
  int64_t leave_out_ = 0;        // examples of the next record to skip, after skip_to
  DataPosition position_;
  Examples read_;
};

}  // namespace bert::examples
