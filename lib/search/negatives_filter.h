// Adds hard negatives to pairs of texts: texts of the index that are near to the first text, but are neither
// the second one nor as near as it. Training with them teaches more than with other texts.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "io/filter.h"
#include "search/index.h"
#include "search/indexed_texts.h"
#include "search/nearest.h"
#include "search/options.h"
#include "search/record_vectors.h"
#include "search/reranker.h"

namespace bert::search {

class NegativesFilter final : public io::Filter {
 public:
  // References must outlive this object.
  NegativesFilter(Options options, Pool& pool, Log& log);

  void prepare(const io::Fields& fields, io::Record& record) const override;
  int64_t cost(const io::Record& record) const override { return record.work_as<WithVector>().cost; }
  void compute(std::span<io::Record* const> records) override;
  void finish(io::Record& record, io::Output& out) const override;
  void report(Log& log) const override;
  void report_truncated(int64_t records) const override { queries_.report_truncated(records); }

 private:
  struct Pair;
  void find_nearest(std::span<Pair* const> pairs);
  bool keep_different(Pair& pair, std::span<const Neighbor> found, int64_t wanted) const;
  void rerank(Pair& pair);
  void choose(Pair& pair) const;
  float score_of_positive(const Pair& pair) const;

  const Options options_;
  Pool& pool_;
  RecordVectors queries_;
  Index index_;
  IndexedTexts texts_;
  std::unique_ptr<Search> search_;
  std::unique_ptr<Reranker> reranker_;
  const io::DropList drop_;
  mutable std::atomic<int64_t> few_ = 0;  // records with fewer negatives than asked for
};

}  // namespace bert::search
