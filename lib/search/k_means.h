// k-means clustering: k-means++ (Arthur and Vassilvitskii 2007), then Lloyd's iterations until no row changes
// its cluster. With cosine, rows and centers have unit length (spherical k-means). Sums are added in an order
// that depends on the data alone, so equal seeds give equal results with any number of threads.
#pragma once

#include <cstdint>
#include <vector>

#include "base/pool.h"
#include "search/scan.h"
#include "search/vectors.h"

namespace bert::search {

struct KMeansOptions {
  Metric metric = Metric::cosine;  // or l2
  int64_t clusters = 1;            // at most the number of rows
  uint64_t seed = 0;
  int most_iterations = 100;
};

struct Clustering {
  // Clusters are numbered by size, the largest first, then by their first row.
  std::vector<int32_t> cluster;  // of each row
  std::vector<double> distance;  // of each row to its center: 1 - cosine, or Euclidean
  std::vector<int64_t> rank;     // of each row in its cluster by distance, then by row; 1 is the most central
  std::vector<int64_t> sizes;    // of the clusters; 0 if there are fewer different rows than clusters
  std::vector<float> centers;    // [clusters, width]
  int iterations = 0;
};

Clustering k_means(const Vectors& vectors, const KMeansOptions& options, Pool& pool);

}  // namespace bert::search
