// k-means clustering: k-means++ (Arthur and Vassilvitskii 2007), then Lloyd's iterations until no row changes
// its cluster. With cosine, rows and centers have unit length (spherical k-means). Sums are added in an order
// that depends on the data alone, so equal seeds give equal results with any number of threads.
#pragma once

#include <cstdint>
#include <vector>

#include "base/pool.h"
#include "search/clustering.h"
#include "search/scan.h"
#include "search/vectors.h"

namespace bert::search {

struct KMeansOptions {
  Metric metric = Metric::cosine;  // or l2
  int64_t clusters = 1;            // at most the number of rows
  uint64_t seed = 0;
  int most_iterations = 100;
};

// Clusters of equal size are in the order of their first rows, ranks of equal distances in that of rows.
// There are clusters of size 0 if there are fewer different rows than clusters.
struct KMeansClustering : Clustering {
  std::vector<float> centers;  // [clusters, width]
  int iterations = 0;
};

KMeansClustering k_means(const Vectors& vectors, const KMeansOptions& options, Pool& pool);

}  // namespace bert::search
