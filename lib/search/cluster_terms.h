// The terms (see text/terms.h) that tell a cluster from the others.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/string_table.h"
#include "io/record_index.h"
#include "search/clustering.h"

namespace bert::search {

// The terms of all rows are in a temporary file, their vocabulary in memory.
class ClusterTerms {
 public:
  // The next row.
  void add(std::span<const std::string> terms);

  // For each cluster, the `count` terms whose share of its rows is most surely above that of the rows in
  // other clusters: with the highest log-likelihood ratio G² (Dunning 1993) of the rows with and without the
  // term in this cluster and in the others; best first, equal ones in the order of their bytes.
  std::vector<std::vector<std::string>> best(const Clustering& clustering, int64_t count);

 private:
  struct Row {
    uint64_t offset;  // in spool_
    size_t terms;
  };
  std::span<const uint32_t> read(const Row& row);

  StringTable terms_;
  io::Spool spool_;  // numbers of terms
  std::vector<Row> rows_;
  std::string bytes_;
  std::vector<uint32_t> numbers_;
};

}  // namespace bert::search
