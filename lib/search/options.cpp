#include "search/options.h"

#include "search/cluster_filter.h"
#include "search/dedup_filter.h"
#include "search/negatives_filter.h"
#include "search/pairs_filter.h"
#include "search/search_filter.h"

namespace bert::search {

std::unique_ptr<io::Filter> make_filter(const Options& options, Pool& pool, Log& log) {
  if (options.dedup) return std::make_unique<DedupFilter>(options, pool, log);
  if (options.pairs) return std::make_unique<PairsFilter>(options, pool, log);
  if (options.clusters || options.communities) return std::make_unique<ClusterFilter>(options, pool, log);
  if (options.negatives) return std::make_unique<NegativesFilter>(options, pool, log);
  return std::make_unique<SearchFilter>(options, pool, log);
}

}  // namespace bert::search
