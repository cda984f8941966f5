// Adds the nearest neighbors of each record.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/pool.h"
#include "io/filter.h"
#include "search/index.h"
#include "search/late_search.h"
#include "search/nearest.h"
#include "search/options.h"
#include "search/recall.h"
#include "search/record_vectors.h"
#include "search/record_weights.h"
#include "search/results.h"

namespace bert::search {

// Exact, or with the graph or the codes of the options. References must outlive it.
std::unique_ptr<Search> make_search(const Index& index, const Options& options, Pool& pool, Log& log);

class SearchFilter final : public io::Filter {
 public:
  // References must outlive this object.
  SearchFilter(Options options, Pool& pool, Log& log);

  void prepare(const io::Fields& fields, io::Record& record) const override;
  int64_t cost(const io::Record& record) const override { return record.work_as<WithVector>().cost; }
  void compute(std::span<io::Record* const> records) override;
  void finish(io::Record& record, io::Output& out) const override;
  void end(io::Output& out) override;
  void report(Log& log) const override;
  void committed() override;
  void report_truncated(int64_t records) const override;
  size_t chunk_records() const override;

 private:
  void note_pairs(Log& log) const;
  void require_late() const;
  void open_weights(Log& log);
  struct Found;
  bool has_vectors() const { return !options_.words || options_.words->with_vectors; }
  bool is_sparse() const { return options_.words && options_.words->sparse; }
  bool reads_texts() const { return options_.rerank || (options_.words && !is_sparse()); }
  void weigh(std::span<io::Record* const> records);
  void search(std::span<Found* const> queries, int64_t more);
  void write_neighbors(std::span<Found* const> queries, std::span<const std::vector<Neighbor>> nearest,
                       int64_t more);
  void rerank(Found& query, int64_t more);
  template <class Do>
  void for_each(std::span<Found* const> queries, Do run);
  std::vector<Hit> hits(const Found& query, std::span<const Neighbor> nearest, Wanted wanted) const;
  void write(Found& found, int64_t more) const;
  Passage passage_of(const Hit& hit, std::span<const std::string> values) const;
  std::string mismatch(std::span<const Hit> hits) const;
  void append_neighbor(std::string& out, const Hit& hit, std::span<const std::string> values) const;

  Options options_;
  Pool& pool_;
  RecordVectors queries_;
  Index index_;
  std::unique_ptr<LateSearch> late_;  // of vectors of tokens
  std::unique_ptr<Search> search_;    // of vectors
  std::unique_ptr<WordSearch> words_;
  std::unique_ptr<RecordWeights> weights_;  // of queries
  std::unique_ptr<Reranker> reranker_;
  const Wanted wanted_, first_;  // at the end, and before reranking
  int64_t empty_ = 0;            // queries
  std::optional<Recall> recall_;
  std::optional<LineWriter> lines_;
  const io::DropList drop_;
};

}  // namespace bert::search
