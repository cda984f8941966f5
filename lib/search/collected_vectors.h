// The vectors of all records of a stream, in order: rows of an array, or kept in memory.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "search/options.h"
#include "search/record_vectors.h"

namespace bert::search {

// A filter calls these methods in its methods of the same name. The work of its records is a WithVector.
class CollectedVectors {
 public:
  CollectedVectors(const Options& options, Pool& pool, Log& log);

  // The vectors must be comparable with those of another index.
  void require_like(const Index& other, const std::string& path);

  void prepare(const io::Fields& fields, io::Record& record, WithVector& work) const;
  // Computes the vectors without collecting them: afterwards each record has one or a failure.
  void compute(std::span<io::Record* const> records);
  // Adds the vectors of records without a failure.
  void collect(std::span<io::Record* const> records);
  void report_truncated(int64_t records) const { computed_.report_truncated(records); }
  void report(Log& log) const { computed_.report(log); }

  // After the last record. Throws Error if the array has more rows than there were records, bad ones
  // included.
  void all_read(int64_t records);

  // See Vectors::require_unchanged; before results are written.
  void require_unchanged() const {
    if (index_) index_->vectors().require_unchanged();
  }

  // After all_read: those collected, in order; nullptr if there are none.
  const Vectors* all() const { return all_; }

 private:
  RecordVectors computed_;
  std::optional<Index> index_;
  std::string path_;
  std::unique_ptr<StoredVectors> stored_;      // without an index
  std::vector<bool> taken_;                    // with an index, for each row: whether it was collected
  std::unique_ptr<SelectedVectors> selected_;  // unless all rows were
  const Vectors* all_ = nullptr;
};

}  // namespace bert::search
