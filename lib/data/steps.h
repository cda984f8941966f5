// What one step of training takes in: micro-batches of examples, cut from the records in their order.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "data/example.h"
#include "data/record_source.h"

namespace bert::data {

struct StepOptions {
  int64_t sequences = 32;         // of a micro-batch
  std::optional<int64_t> tokens;  // instead: as many sequences as have so many together, at least one
  int64_t accumulate = 1;         // micro-batches of a step
};

// Where training stands in its data, for a snapshot. With the same options and input the steps behind it are
// the same.
struct DataPosition {
  int64_t drawn = 0;               // records before the one whose example comes next
  int64_t within = 0;              // its examples that are used already
  int64_t records = 0, bytes = 0;  // of the FILEs, to know them again; 0 of a pipe

  bool operator==(const DataPosition&) const = default;
};

struct Step {
  std::vector<Examples> batches;  // none is empty
  int64_t sequences = 0, tokens = 0;
};

// Steps run on from one epoch into the next: every example is used, and only the very last step may be short.
class Steps {
 public:
  // Both outlive this object.
  Steps(RecordSource& source, ExampleReader& reader, const StepOptions& options);

  // False at the end of the data, or when the source was interrupted: then nothing of the step is taken, and
  // position() stays.
  bool next(Step& step);

  DataPosition position() const { return position_; }  // behind the last step
  // Goes on from there. Error when the FILEs are others.
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
  std::deque<Pending> pending_;  // read and not used; of one record
  int64_t leave_out_ = 0;        // examples of the next record, after skip_to
  DataPosition position_;
  Examples read_;
};

}  // namespace bert::data
