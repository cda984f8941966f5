// Clusters of similar rows around a central row (Reimers' community detection in sentence-transformers).
// Their number follows from the threshold; rows without enough similar ones are in none.
#pragma once

#include <cstdint>

#include "base/pool.h"
#include "search/clustering.h"
#include "search/scan.h"
#include "search/vectors.h"

namespace bert::search {

struct CommunityOptions {
  Metric metric = Metric::cosine;  // or l2
  double limit = 0;                // the least value (see scan.h) of a row for the center
  int64_t least = 10;              // rows of a cluster, at least
};

// Each row with at least `least` rows within the limit, itself included, is the center of a candidate. These
// are taken in the order of their sizes, the largest first, equal ones in that of their centers, if no
// cluster that was taken has the center, and if at least `least` of its rows are in no cluster yet: these
// rows are the cluster. Clusters are numbered by size, then in the order they were taken. Ranks of equal
// distances are in the order of rows, after the center.
Clustering communities(const Vectors& vectors, const CommunityOptions& options, Pool& pool);

}  // namespace bert::search
