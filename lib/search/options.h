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
#include "search/code_search.h"
#include "search/graph.h"
#include "search/index.h"
#include "search/lines.h"
#include "search/record_vectors.h"
#include "search/reranker.h"
#include "search/scan.h"
#include "search/word_search.h"

namespace bert::search {

// Which texts of the index become negatives of a pair.
struct Negatives {
  int64_t count = 0;              // for each record
  int64_t first = 1, last = 100;  // ranks to choose from, the positives not counted
  // Their scores are at most that of the pair less the margin, or less this share of it, and at most
  // max_score.
  std::optional<double> margin, relative_margin, max_score;
  bool random = false;         // chosen; otherwise the nearest
  std::string positive_field;  // the second text of a pair
};

struct Options {
  Metric metric = Metric::cosine;
  int64_t neighbors = 5;             // 0: all
  std::optional<double> min_score;   // of a neighbor
  GraphOptions graph;                // path "": exact search, unless there are codes
  CodeOptions codes;                 // the same
  int64_t recall = 0;                // number of queries to search exactly, too
  std::optional<WordOptions> words;  // search by words, too
  std::optional<RerankOptions> rerank;
  // At most one is given. The thresholds are scores: distances for l2.
  std::optional<double> dedup, pairs, communities;
  std::optional<int64_t> clusters;
  std::optional<Negatives> negatives;

  int64_t least = 10;                 // records of a community
  std::optional<int64_t> central;     // number of records to write of each cluster
  std::optional<int64_t> terms;       // number of terms that name a cluster
  bool silhouette = false;            // of records in clusters
  uint64_t seed = 0;                  // of the clusters and of random negatives
  std::string against;                // with dedup: an index that the records must not repeat
  std::optional<LinesOptions> lines;  // write these instead of records
  IndexOptions index;                 // to search; in other modes the vectors of the input records, if given
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
