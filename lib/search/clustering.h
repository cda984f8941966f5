// What the ways to divide rows into clusters have in common.
#pragma once

#include <cstdint>
#include <vector>

namespace bert::search {

constexpr int32_t kNoCluster = -1;

struct Clustering {
  // Clusters are numbered by size, the largest first.
  std::vector<int32_t> cluster;  // of each row, or kNoCluster
  std::vector<double> distance;  // of each row to its center: 1 - cosine, or Euclidean
  std::vector<int64_t> rank;     // of each row in its cluster, by distance; 1 is the most central
  std::vector<int64_t> sizes;    // of the clusters; those at the end may be 0
};

}  // namespace bert::search
