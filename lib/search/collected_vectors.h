// The vectors of all records of a stream, in order: rows of an array, or kept in memory.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "search/options.h"
#include "search/record_vectors.h"

namespace bert::search {

// A filter calls these methods in its methods of the same name. The work of its records is a WithVector.
class CollectedVectors {
 public:
  CollectedVectors(const Options& options, Pool& pool, Log& log);

  void prepare(const io::Fields& fields, io::Record& record, WithVector& work) const;
  // Computes the vectors without collecting them: afterwards each record has one or a failure.
  void compute(std::span<io::Record* const> records);
  // Adds the vectors of records without a failure.
  void collect(std::span<io::Record* const> records);
  void report_truncated(int64_t records) const { computed_.report_truncated(records); }

  // Those collected, or all rows of the array; nullptr before the first one. Throws as check_count.
  const Vectors* all() const;

  // After the last record: throws Error if the array has more rows than there were records.
  void check_count() const;

 private:
  RecordVectors computed_;
  std::optional<Index> index_;
  std::string path_;
  int64_t records_ = 0;  // prepared so far, if there is an index: the place of the last one
  std::unique_ptr<StoredVectors> stored_;
};

}  // namespace bert::search
