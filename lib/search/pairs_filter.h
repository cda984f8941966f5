// Writes the pairs of records that are similar enough, after the last record has been read.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/log.h"
#include "io/filter.h"
#include "search/collected_vectors.h"
#include "search/options.h"
#include "search/pairs.h"

namespace bert::search {

class PairsFilter final : public io::Filter {
 public:
  // References must outlive this object. options.pairs must be given.
  PairsFilter(const Options& options, Pool& pool, Log& log);

  void prepare(const io::Fields& fields, io::Record& record) const override;
  int64_t cost(const io::Record& record) const override { return record.work_as<WithVector>().cost; }
  void compute(std::span<io::Record* const> records) override;
  void finish(io::Record& record, io::Output& out) const override;
  bool release(Ending ending, io::Output& out) override;
  void all_read(int64_t records) override { vectors_.all_read(records); }
  void report_truncated(int64_t records) const override { vectors_.report_truncated(records); }
  void report(Log& log) const override;

 private:
  struct Identified;
  void append(const Pair& pair, io::Output& out);

  const Options options_;
  Pool& pool_;
  Log& log_;
  CollectedVectors vectors_;
  mutable io::FieldUse id_use_;
  std::vector<std::string> ids_;  // of each vector collected, in JSON
  std::optional<PairSearch> search_;
  std::string failure_;  // of a pair; thrown after the pairs before it have been written
};

}  // namespace bert::search
