#include "base/error.h"
#include "base/option.h"
#include "search/graph.h"

namespace bert::search {

struct GraphSearch::Graph {};

std::string graph_version() { return "hnswlib: not built in (" + opt::graph + " needs it)"; }

void require_graphs() {
  throw Error(opt::graph, " is not available in this build: install libhnswlib-dev and build again");
}

GraphSearch::GraphSearch(const Vectors& vectors, Metric metric, const GraphOptions& options, Pool& pool, Log&)
    : vectors_(vectors), metric_(metric), options_(options), pool_(pool) {
  require_graphs();
}

GraphSearch::~GraphSearch() = default;

std::vector<std::vector<Neighbor>> GraphSearch::nearest(std::span<const float* const>, Wanted) { return {}; }

}  // namespace bert::search
