// Approximate search with a graph of near rows (hnsw.h). The graph consists of links only; the vectors stay
// where they are.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/pool.h"
#include "search/nearest.h"
#include "search/scan.h"
#include "search/vectors.h"

namespace bert::search {

struct GraphOptions {
  std::string path;  // the graph is read from this file, or built and written to it if there is none
  int64_t candidates = 100;
};

struct Near;

class GraphSearch final : public Search {
 public:
  // References must outlive this object. Throws Error if the file is not the graph of these vectors, or
  // cannot be created. If it cannot be written after the graph was built, failure() says so.
  GraphSearch(const Vectors& vectors, Metric metric, const GraphOptions& options, Pool& pool, Log& log);
  ~GraphSearch() override;

  // The best of at least options.candidates rows that the graph leads to, by their exact values.
  std::vector<std::vector<Neighbor>> nearest(std::span<const float* const> queries, Wanted wanted) override;
  std::string failure() const override { return failure_; }

 private:
  struct Graph;
  class Reader;
  void read();
  void make(Log& log);
  std::vector<Neighbor> best(std::span<const float> query, std::span<const Near> candidates,
                             Wanted wanted) const;

  const Vectors& vectors_;
  const Metric metric_;
  const GraphOptions options_;
  Pool& pool_;
  std::unique_ptr<Graph> graph_;
  std::string failure_;
};

}  // namespace bert::search
