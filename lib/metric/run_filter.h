// The filter of bert-score for searches: compares what was ranked with relevance judgments, and writes one
// object of metrics at the end.
#pragma once

#include "io/filter.h"
#include "metric/judgments.h"
#include "metric/ranking.h"
#include "metric/score_filter.h"

namespace bert::metric {

class RunFilter : public io::Filter {
 public:
  // Reads the gold FILE with the settings of `stream`. `log` must outlive the filter.
  RunFilter(ScoreFilterOptions options, const io::StreamOptions& stream, Log& log);

  void prepare(const io::Fields& fields, io::Record& record) const override;
  int64_t cost(const io::Record&) const override { return 1; }
  void compute(std::span<io::Record* const> records) override;
  void finish(io::Record&, io::Output&) const override {}
  void end(io::Output& out) override;
  bool tells_of_none() const override { return true; }

 private:
  struct Run {
    Rankings rankings;
    StringTable unknown;  // queries without judgments
  };
  void add(std::span<const Ranked> ranked, const io::Record& record, Run& run);
  // Adds the documents that were not ranked, with warnings that begin with `name`. False if nothing was
  // ranked.
  bool complete(Run& run, const std::string& name);
  // The metrics of the queries of run_ in the run of ScoreFilterOptions::against.
  std::vector<RankingMeans> values_against(int64_t top_k);

  const ScoreFilterOptions options_;
  const io::StreamOptions stream_;
  Log& log_;
  Judgments judgments_;
  Run run_;
};

}  // namespace bert::metric
