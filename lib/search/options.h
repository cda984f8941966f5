// What bert-search does: one filter for each mode.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/pool.h"
#include "io/filter.h"
#include "io/stream.h"
#include "search/graph.h"
#include "search/index.h"
#include "search/record_vectors.h"
#include "search/scan.h"

namespace bert::search {

struct Options {
  Metric metric = Metric::cosine;
  int64_t neighbors = 5;
  GraphOptions graph;  // path "": exact search
  // At most one is given. The thresholds are scores: distances for l2.
  std::optional<double> dedup, pairs;
  std::optional<int64_t> clusters;

  std::optional<int64_t> central;  // number of records to write of each cluster
  uint64_t seed = 0;               // of the clusters
  IndexOptions index;              // to search; in other modes the vectors of the input records, if given
  TextOptions texts;
  int precision = -1;  // see json::append_number
  io::DropList drop;
  io::OnError on_error = io::OnError::stop;  // also for results that f32 cannot hold
};

// References must outlive the filter.
// Throws Error if a table has not the columns of --keep, other than the fields that clustering adds: its
// records are written when all have been read, which is late to find it out.
void require_columns(std::span<const std::string> keep, std::span<const std::string> columns);

std::unique_ptr<io::Filter> make_filter(const Options& options, Pool& pool, Log& log);

}  // namespace bert::search
