// How well rows fit their clusters (Rousseeuw 1987).
#pragma once

#include <vector>

#include "base/pool.h"
#include "search/clustering.h"
#include "search/vectors.h"

namespace bert::search {

// For each row, (b - a) / max(a, b), where a is its mean distance, 1 - cosine, from the other rows of its
// cluster and b that from the rows of the nearest other cluster: from -1 to 1. 0 for a row that is alone in
// its cluster, NaN for one in none. Empty if there are not two clusters with rows.
std::vector<double> silhouettes(const Vectors& vectors, const Clustering& clustering, Pool& pool);

}  // namespace bert::search
