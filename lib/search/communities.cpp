#include "search/communities.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "search/pairs.h"

namespace bert::search {
namespace {

constexpr int64_t kMostMembers = 4 << 20;  // of the candidates that are looked at together
constexpr size_t kMostCandidates = 512;

struct Member {
  int64_t row;
  double value;
};

class Communities {
 public:
  Communities(const Vectors& vectors, const CommunityOptions& options, Pool& pool)
      : vectors_(vectors), options_(options), pool_(pool), scan_(vectors, options.metric, pool) {}

  Clustering run();

 private:
  void count();
  std::vector<int64_t> next_centers();
  std::vector<std::vector<Member>> members_of(std::span<const int64_t> centers);
  void take(int64_t center, std::vector<Member> members);
  void number_clusters();

  const Vectors& vectors_;
  const CommunityOptions options_;
  Pool& pool_;
  Scan scan_;
  std::vector<int64_t> counts_;  // of the rows within the limit, by row
  std::vector<int64_t> order_;   // of the centers
  size_t next_ = 0;              // in order_
  Clustering result_;
};

void Communities::count() {
  counts_.assign(vectors_.rows(), 0);
  nn::Memory scratch;
  for (int64_t row = 0; row < vectors_.rows(); ++row) {
    const float* const values = vectors_.row(row, scratch);
    const std::span numbers(values, vectors_.width());
    counts_[row] = value_of(options_.metric, numbers, values) >= options_.limit ? 1 : 0;  // not for zeros
  }
  PairSearch search(vectors_, options_.metric, options_.limit, pool_);
  for (std::vector<Pair> pairs; search.next(pairs);) {
    for (const auto& pair : pairs) {
      ++counts_[pair.a];
      ++counts_[pair.b];
    }
  }
  for (int64_t row = 0; row < vectors_.rows(); ++row)
    if (counts_[row] >= options_.least) order_.push_back(row);
  std::ranges::stable_sort(order_, std::ranges::greater(), [this](int64_t row) { return counts_[row]; });
}

// Some of the candidates whose center is still in no cluster.
std::vector<int64_t> Communities::next_centers() {
  std::vector<int64_t> centers;
  int64_t members = 0;
  for (; next_ < order_.size() && centers.size() < kMostCandidates; ++next_) {
    const int64_t row = order_[next_];
    if (result_.cluster[row] != kNoCluster) continue;
    members += counts_[row];
    if (members > kMostMembers && !centers.empty()) break;
    centers.push_back(row);
  }
  return centers;
}

// The rows within the limit of each center.
std::vector<std::vector<Member>> Communities::members_of(std::span<const int64_t> centers) {
  const int64_t width = vectors_.width();
  std::vector<float> copies(centers.size() * width);
  std::vector<const float*> rows;
  nn::Memory scratch;
  for (size_t i = 0; i < centers.size(); ++i) {
    rows.push_back(copies.data() + i * width);
    std::copy_n(vectors_.row(centers[i], scratch), width, copies.data() + i * width);
  }
  const std::vector<double> limits(rows.size(), options_.limit);
  std::vector<std::vector<std::vector<Member>>> found(pool_.size(),
                                                      std::vector<std::vector<Member>>(rows.size()));
  scan_.run({.rows = rows, .limits = limits}, 0, vectors_.blocks(),
            [&](int64_t query, int64_t row, double value, int thread) {
              if (value >= options_.limit) found[thread][query].push_back({.row = row, .value = value});
              return options_.limit;
            });
  auto members = std::move(found.front());
  for (size_t thread = 1; thread < found.size(); ++thread)
    for (size_t i = 0; i < rows.size(); ++i)
      members[i].insert(members[i].end(), found[thread][i].begin(), found[thread][i].end());
  return members;
}

void Communities::take(int64_t center, std::vector<Member> members) {
  if (result_.cluster[center] != kNoCluster) return;
  std::erase_if(members, [&](const Member& member) { return result_.cluster[member.row] != kNoCluster; });
  if (std::ssize(members) < options_.least) return;
  std::ranges::sort(members, [&](const Member& a, const Member& b) {
    if (a.row == center || b.row == center) return a.row == center && b.row != center;
    return a.value != b.value ? a.value > b.value : a.row < b.row;
  });
  const auto cluster = static_cast<int32_t>(result_.sizes.size());
  int64_t rank = 0;
  for (const auto& [row, value] : members) {
    result_.cluster[row] = cluster;
    result_.rank[row] = ++rank;
    result_.distance[row] = options_.metric == Metric::l2 ? std::sqrt(-value)
                            : row == center               ? 0
                                                          : std::max(0.0, 1 - value);
  }
  result_.sizes.push_back(rank);
}

void Communities::number_clusters() {
  std::vector<int32_t> order(result_.sizes.size()), number(order.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::ranges::greater(), [this](int32_t i) { return result_.sizes[i]; });
  for (size_t i = 0; i < order.size(); ++i) number[order[i]] = i;
  for (int32_t& cluster : result_.cluster)
    if (cluster != kNoCluster) cluster = number[cluster];
  std::ranges::sort(result_.sizes, std::ranges::greater());
}

Clustering Communities::run() {
  const auto rows = vectors_.rows();
  result_.cluster.assign(rows, kNoCluster);
  result_.distance.assign(rows, 0);
  result_.rank.assign(rows, 0);
  count();
  for (auto centers = next_centers(); !centers.empty(); centers = next_centers()) {
    auto members = members_of(centers);
    for (size_t i = 0; i < centers.size(); ++i) take(centers[i], std::move(members[i]));
  }
  number_clusters();
  return std::move(result_);
}

}  // namespace

Clustering communities(const Vectors& vectors, const CommunityOptions& options, Pool& pool) {
  return Communities(vectors, options, pool).run();
}

}  // namespace bert::search
