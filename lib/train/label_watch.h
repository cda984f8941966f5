// Whether the records of a run all have the same label, and the range of their numbers.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "comm/communicator.h"
#include "examples/example.h"
#include "examples/labels.h"

namespace bert::train {

class LabelWatch {
 public:
  // The label of a record that has been read as this example.
  using LabelOf = std::function<std::string(const io::Fields&, const examples::Example&)>;

  // A reader of the same examples, which notes their labels. The watch must outlive it.
  std::unique_ptr<examples::ExampleReader> watched(std::unique_ptr<examples::ExampleReader> reader,
                                                   LabelOf label_of);

  // Called by its readers, on any thread.
  void add(std::string label);

  // After all ranks have read records: their only label, if there are at least two records.
  std::optional<std::string> only_label(comm::Communicator& ranks) const;

 private:
  class Reader;

  mutable std::mutex mutex_;
  int64_t records_ = 0;               // until labels differ
  std::string label_;                 // of the first record
  std::atomic<bool> differ_ = false;  // the labels
};

// The least and the most that all ranks have read; infinity and its negative, if none has.
std::pair<double, double> range_of_all(const examples::LabelRange& own, comm::Communicator& ranks);

}  // namespace bert::train
