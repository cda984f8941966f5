#include "search/late_search.h"

#include <algorithm>
#include <utility>

#include "nn/kernels/kernels.h"
#include "nn/products.h"

namespace bert::search {
namespace {

constexpr int64_t kBlockNumbers = 4 << 20;
constexpr int64_t kTextsAtOnce = 32;  // their vectors are copied, so that products may read beyond

}  // namespace

void TokenVectors::add(std::span<const float> vectors) {
  const int64_t size = std::ssize(vectors);
  if (size > room_) {
    room_ = std::max(size, kBlockNumbers);
    blocks_.emplace_back(room_);
  }
  float* const start = blocks_.back().data() + (static_cast<int64_t>(blocks_.back().size()) - room_);
  std::ranges::copy(vectors, start);
  room_ -= size;
  starts_.push_back(start);
  counts_.push_back(size / width_);
}

std::vector<std::vector<Neighbor>> LateSearch::nearest(std::span<const std::span<const float>> queries,
                                                       Wanted wanted) {
  const int64_t width = vectors_.width(), count = std::min(wanted.count, texts());
  std::vector<nn::Tensor> rows;
  for (const auto& query : queries) {
    auto& to = rows.emplace_back(std::ssize(query) / width, width);
    for (int64_t row = 0; row < to.rows(); ++row)
      std::ranges::copy(query.subspan(row * width, width), to.row(row));
  }
  std::vector<std::vector<Best>> best(pool_.size(), std::vector<Best>(queries.size(), Best(count)));
  pool_.run_grid((texts() + kTextsAtOnce - 1) / kTextsAtOnce, [&](int64_t task, int thread) {
    const int64_t first = task * kTextsAtOnce;
    compare(rows, first, std::min(texts(), first + kTextsAtOnce), wanted.least, best[thread]);
  });
  std::vector<std::vector<Neighbor>> results;
  for (size_t q = 0; q < queries.size(); ++q) {
    for (size_t thread = 1; thread < best.size(); ++thread)
      for (const Neighbor& neighbor : best[thread][q].all()) best[0][q].add(neighbor);
    results.push_back(std::move(best[0][q]).sorted());
  }
  return results;
}

void LateSearch::compare(std::span<const nn::Tensor> queries, int64_t first, int64_t last, double least,
                         std::span<Best> best) const {
  const int64_t width = vectors_.width();
  int64_t total = 0;
  for (int64_t row = first; row < last; ++row) total += vectors_.count(text_of(row));
  nn::Tensor all(total, width), products;
  int64_t to = 0;
  for (int64_t row = first; row < last; ++row) {
    const auto vectors = vectors_.of(text_of(row));
    for (size_t i = 0; i < vectors.size(); i += width)
      std::ranges::copy(vectors.subspan(i, width), all.row(to++));
  }
  for (size_t q = 0; q < queries.size(); ++q) {
    const auto& query = queries[q];
    products.reshape(query.rows(), total);
    nn::multiply(nn::usable_kernels(),
                 {.rows = query.rows(),
                  .cols = total,
                  .depth = width,
                  .a = {.numbers = query.row(0), .stride = query.stride()},
                  .b = {.numbers = all.row(0), .stride = all.stride(), .order = nn::Order::columns},
                  .c = products.row(0),
                  .c_stride = products.stride(),
                  .room = true});
    int64_t begin = 0;
    for (int64_t row = first; row < last; ++row) {
      const int64_t count = vectors_.count(text_of(row));
      double value = 0;
      for (int64_t i = 0; i < query.rows(); ++i)
        value += std::ranges::max(products.values(i).subspan(begin, count));
      begin += count;
      if (value >= least) best[q].add({.row = row, .value = value});
    }
  }
}

}  // namespace bert::search
