#include "metric/ranking.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <tuple>

#include "base/error.h"
#include "metric/report.h"

namespace bert::metric {

namespace {

// Sums over ranked documents, best first; ranks count from 1.
RankingMeans values_of(const std::vector<double>& gains, const std::vector<double>& ideal, int64_t k) {
  RankingMeans values;
  int64_t relevant = 0;
  for (size_t i = 0; i < gains.size(); ++i) {
    if (gains[i] <= 0) continue;
    const auto rank = static_cast<double>(i + 1);
    const bool near = static_cast<int64_t>(i) < k;
    if (++relevant == 1) {
      values.reciprocal_rank = 1 / rank;
      if (near) values.reciprocal_rank_at_k = 1 / rank;
    }
    values.average_precision += relevant / rank;
    values.ndcg += gains[i] / std::log2(rank + 1);
    if (!near) continue;
    values.ndcg_at_k = values.ndcg;
    values.precision_at_k = values.recall_at_k = relevant;
  }
  double best = 0, best_at_k = 0;
  for (size_t i = 0; i < ideal.size(); ++i) {
    best += ideal[i] / std::log2(static_cast<double>(i) + 2);
    if (static_cast<int64_t>(i) < k) best_at_k = best;
  }
  const auto all = ideal.size();
  values.average_precision /= all;
  values.ndcg /= best;
  values.ndcg_at_k /= best_at_k;
  values.precision_at_k /= k;
  values.recall_at_k /= all;
  return values;
}

constexpr double RankingMeans::*kMeans[] = {
    &RankingMeans::reciprocal_rank,      &RankingMeans::average_precision, &RankingMeans::ndcg,
    &RankingMeans::reciprocal_rank_at_k, &RankingMeans::ndcg_at_k,         &RankingMeans::precision_at_k,
    &RankingMeans::recall_at_k};

}  // namespace

RankingMeans mean_of(std::span<const RankingMeans> queries) {
  RankingMeans means;
  for (const auto mean : kMeans) {
    for (const auto& query : queries) means.*mean += query.*mean;
    if (!queries.empty()) means.*mean /= static_cast<double>(queries.size());
  }
  return means;
}

void Rankings::add(std::string_view query, double gain, double score, const NamedDocument& named) {
  documents_.push_back({.score = score,
                        .gain = gain,
                        .query = queries_.add(query).first,
                        .name = names_.add(named.name).first,
                        .line = static_cast<uint32_t>(named.line),
                        .file = files_.add(named.file).first,
                        .ranked = true});
  ++ranked_;
}

void Rankings::add_missing(std::string_view query, double gain) {
  documents_.push_back({.score = -std::numeric_limits<double>::infinity(),
                        .gain = gain,
                        .query = queries_.add(query).first,
                        .ranked = false});
}

void Rankings::require_distinct(std::span<const Document> ranked) const {
  std::vector<Document> named;
  std::ranges::copy_if(ranked, std::back_inserter(named),
                       [&](const Document& document) { return !names_.at(document.name).empty(); });
  std::ranges::sort(named, {}, [](const Document& document) {
    return std::tuple(document.name, uint32_t{document.file}, document.line);
  });
  const auto twice = std::ranges::adjacent_find(named, {}, &Document::name);
  if (twice == named.end()) return;
  const auto& second = *std::next(twice);
  throw Error(files_.at(second.file), ":", second.line, ": document \"", names_.at(second.name),
              "\" is ranked twice for query \"", queries_.at(second.query), "\"");
}

std::vector<RankingMeans> Rankings::values(int64_t k) {
  std::ranges::sort(documents_, [&](const Document& a, const Document& b) {
    if (a.query != b.query) return a.query < b.query;
    if (a.ranked != b.ranked) return a.ranked;
    if (a.score != b.score) return a.score > b.score;
    if (a.name != b.name) return names_.at(a.name) > names_.at(b.name);
    return a.gain < b.gain;
  });
  std::vector<RankingMeans> values(queries_.size());
  for (auto begin = documents_.begin(); begin != documents_.end();) {
    const auto end =
        std::find_if(begin, documents_.end(), [&](const auto& other) { return other.query != begin->query; });
    const auto ranked = std::find_if(begin, end, [](const auto& document) { return !document.ranked; });
    if (ranked != begin) require_distinct({begin, ranked});
    std::vector<double> gains, ideal;
    for (auto i = begin; i != end; ++i) {
      if (i->ranked) gains.push_back(i->gain);
      if (i->gain > 0) ideal.push_back(i->gain);
    }
    std::ranges::sort(ideal, std::greater());
    if (!ideal.empty()) values[begin->query] = values_of(gains, ideal, k);
    begin = end;
  }
  return values;
}

void TopHits::add(std::optional<int64_t> place, int64_t candidates) {
  if (place) {
    ++places_[*place];
    reciprocals_ += 1 / static_cast<double>(*place + 1);
  }
  fewest_ = count_ == 0 ? candidates : std::min(fewest_, candidates);
  ++count_;
}

double TopHits::share_of(int64_t k) const {
  int64_t hits = 0;
  for (const auto& [place, count] : places_) {
    if (place < k) hits += count;
  }
  return share(hits, count_);
}

}  // namespace bert::metric
