// Leaves out records that are too similar to an earlier record that was not left out.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "io/filter.h"
#include "search/collected_vectors.h"
#include "search/dedup.h"
#include "search/nearest.h"
#include "search/options.h"
#include "search/results.h"

namespace bert::search {

class DedupFilter final : public io::Filter {
 public:
  // References must outlive this object. options.dedup must be given.
  DedupFilter(const Options& options, Pool& pool, Log& log);

  void prepare(const io::Fields& fields, io::Record& record) const override;
  int64_t cost(const io::Record& record) const override { return record.work_as<WithVector>().cost; }
  void compute(std::span<io::Record* const> records) override;
  void finish(io::Record& record, io::Output& out) const override;
  void end(io::Output& out) override;
  void all_read(int64_t records) override { vectors_.all_read(records); }
  void report_truncated(int64_t records) const override { vectors_.report_truncated(records); }
  void report(Log& log) const override;

 private:
  struct Checked;

  const Metric metric_;
  const double limit_;  // see value_at
  Pool& pool_;
  Log& log_;
  CollectedVectors vectors_;
  std::optional<Index> against_;
  std::optional<ExactSearch> known_;
  std::optional<Dedup> dedup_;
  int64_t compared_ = 0, empty_ = 0;
  const io::DropList drop_;
};

}  // namespace bert::search
