#include "search/k_means.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/random.h"
#include "nn/dot.h"

namespace bert::search {
namespace {

constexpr int64_t kMostParts = 64;               // of the rows, each with sums of its own
constexpr int64_t kMostSums = int64_t{8} << 20;  // numbers in all sums

class KMeans {
 public:
  KMeans(const Vectors& vectors, const KMeansOptions& options, Pool& pool);
  KMeansClustering run();

 private:
  struct Part {                // a run of blocks, summed by one thread
    std::vector<double> sums;  // [clusters, width]
    std::vector<int64_t> sizes;
    int64_t changed = 0;
  };

  float* center(int64_t cluster) { return centers_.data() + cluster * width_; }
  const float* center(int64_t cluster) const { return centers_.data() + cluster * width_; }
  std::span<const float> numbers(const float* row) const { return std::span(row, width_); }
  double factor(int64_t row, const float* values) const;
  double squared_distance(int64_t cluster, double length, int64_t row, const float* values) const;

  void start();
  void set_center(int64_t cluster, int64_t row);
  int64_t draw(Random& random) const;
  void lower_distances(int64_t cluster, int64_t row);
  void measure_distances();

  int64_t assign();
  void assign_block(int64_t b, Part& part, int thread);
  void add_to_sums(int64_t row, const float* values, Part& part) const;
  void move_centers();
  void fill_empty(std::vector<int64_t>& sizes);
  void number_clusters();
  void rank_rows();

  const Vectors& vectors_;
  const KMeansOptions options_;
  Pool& pool_;
  Scan scan_;
  const int64_t width_, clusters_;
  std::vector<float> centers_;               // [clusters, width]
  std::vector<const float*> center_places_;  // of each center in centers_
  std::vector<double> near_;  // for each row: its squared distance to the nearest center, if it is needed
  std::vector<Part> parts_;
  std::vector<nn::Memory> blocks_;  // for each thread
  KMeansClustering result_;
};

KMeans::KMeans(const Vectors& vectors, const KMeansOptions& options, Pool& pool)
    : vectors_(vectors),
      options_(options),
      pool_(pool),
      scan_(vectors, options.metric, pool),
      width_(vectors.width()),
      clusters_(options.clusters),
      centers_(clusters_ * width_),
      near_(vectors.rows(), INFINITY),
      blocks_(pool.size()) {
  for (int64_t k = 0; k < clusters_; ++k) center_places_.push_back(center(k));
  const int64_t most = std::clamp<int64_t>(kMostSums / (clusters_ * width_), 1, kMostParts);
  parts_.resize(std::min(most, vectors.blocks()));
  result_.cluster.assign(near_.size(), -1);
}

// What a row is multiplied by.
double KMeans::factor(int64_t row, const float* values) const {
  if (options_.metric == Metric::l2) return 1;
  const float norm = vectors_.norms()[row];
  if (std::isnormal(norm)) return 1 / static_cast<double>(norm);
  const double exact = std::sqrt(nn::dot(numbers(values), values));  // f32 cannot hold it, or not accurately
  return exact > 0 ? 1 / exact : 0;
}

// The squared distance between a row, times its factor, and a center, whose squared norm is `length`.
double KMeans::squared_distance(int64_t cluster, double length, int64_t row, const float* values) const {
  constexpr double kNoise = 1e-6;  // of the norms, which are in f32
  if (options_.metric == Metric::l2) return -value_of(Metric::l2, numbers(center(cluster)), values);
  const double scale = factor(row, values), own = scale > 0 ? 1 : 0;
  const double distance = own + length - 2 * scale * nn::dot(numbers(center(cluster)), values);
  return distance > kNoise * (own + length) ? distance : 0;
}

void KMeans::set_center(int64_t cluster, int64_t row) {
  nn::Memory scratch;
  const float* const values = vectors_.row(row, scratch);
  const double scale = factor(row, values);
  for (int64_t i = 0; i < width_; ++i) center(cluster)[i] = static_cast<float>(values[i] * scale);
}

// Draws each center from the rows with a probability proportional to the squared distance to the nearest one
// drawn before.
void KMeans::start() {
  Random random(options_.seed);
  for (int64_t k = 0; k < clusters_; ++k) {
    const int64_t row = k == 0 ? static_cast<int64_t>(random.uniform() * vectors_.rows()) : draw(random);
    set_center(k, row);
    lower_distances(k, row);
  }
}

// A row that has been drawn has the distance 0. If all have, draws any row.
int64_t KMeans::draw(Random& random) const {
  std::vector<double> sums(vectors_.blocks());
  pool_.run_grid(vectors_.blocks(), [&](int64_t b, int) {
    const int64_t end = std::min(vectors_.rows(), (b + 1) * kBlock);
    for (int64_t i = b * kBlock; i < end; ++i) sums[b] += near_[i];
  });
  const double total = std::accumulate(sums.begin(), sums.end(), 0.0);
  double left = random.uniform() * total;
  int64_t last = random.below(std::min<int64_t>(vectors_.rows(), UINT32_MAX));
  for (size_t b = 0; b < sums.size(); ++b) {
    if (left >= sums[b] && b + 1 < sums.size()) {
      left -= sums[b];
      continue;
    }
    const int64_t begin = b * kBlock, end = std::min(vectors_.rows(), begin + kBlock);
    for (int64_t i = begin; i < end; ++i) {
      const double near = near_[i];
      if (near > 0) last = i;
      if (near > 0 && left < near) return i;
      left -= near;
    }
  }
  return last;
}

void KMeans::lower_distances(int64_t cluster, int64_t row) {
  const double length = nn::dot(numbers(center(cluster)), center(cluster));
  pool_.run_grid(vectors_.blocks(), [&](int64_t b, int thread) {
    const float* values = vectors_.block(b, blocks_[thread]);
    const int64_t end = std::min(vectors_.rows(), (b + 1) * kBlock);
    for (int64_t i = b * kBlock; i < end; ++i, values += width_) {
      double& near = near_[i];
      near = std::min(near, squared_distance(cluster, length, i, values));
    }
  });
  near_[row] = 0;
}

// Measures the distance of each row from the center of its cluster.
void KMeans::measure_distances() {
  std::vector<double> lengths;
  for (int64_t k = 0; k < clusters_; ++k) lengths.push_back(nn::dot(numbers(center(k)), center(k)));
  pool_.run_grid(vectors_.blocks(), [&](int64_t b, int thread) {
    const float* values = vectors_.block(b, blocks_[thread]);
    const int64_t end = std::min(vectors_.rows(), (b + 1) * kBlock);
    for (int64_t i = b * kBlock; i < end; ++i, values += width_) {
      const int64_t cluster = result_.cluster[i];
      near_[i] = squared_distance(cluster, lengths[cluster], i, values);
    }
  });
}

void KMeans::add_to_sums(int64_t row, const float* values, Part& part) const {
  const int64_t cluster = result_.cluster[row];
  const double scale = factor(row, values);
  double* const sums = part.sums.data() + cluster * width_;
  for (int64_t i = 0; i < width_; ++i) sums[i] += values[i] * scale;
  ++part.sizes[cluster];
}

// Assigns the rows of a block to the nearest centers, equal ones to the first, and adds them to the sums.
void KMeans::assign_block(int64_t b, Part& part, int thread) {
  const float* values = vectors_.block(b, blocks_[thread]);
  int64_t row = b * kBlock;
  for (const auto& nearest : scan_.nearest(b, values, thread)) {
    part.changed += std::exchange(result_.cluster[row], nearest.query) != nearest.query;
    add_to_sums(row++, values, part);
    values += width_;
  }
}

// Returns the number of rows whose cluster has changed.
int64_t KMeans::assign() {
  scan_.prepare(center_places_);
  const int64_t parts = parts_.size();
  pool_.run_grid(parts, [&](int64_t p, int thread) {
    Part& part = parts_[p];
    part.sums.assign(clusters_ * width_, 0);
    part.sizes.assign(clusters_, 0);
    part.changed = 0;
    const int64_t end = vectors_.blocks() * (p + 1) / parts;
    for (int64_t b = vectors_.blocks() * p / parts; b < end; ++b) assign_block(b, part, thread);
  });
  int64_t changed = 0;
  for (const Part& part : parts_) changed += part.changed;
  return changed;
}

void KMeans::move_centers() {
  std::vector<int64_t> sizes(clusters_);
  pool_.run_grid(clusters_, [&](int64_t k, int) {
    std::vector<double> mean(width_);
    int64_t size = 0;
    for (const Part& part : parts_) {
      size += part.sizes[k];
      for (int64_t i = 0; i < width_; ++i) mean[i] += part.sums[k * width_ + i];
    }
    sizes[k] = size;
    double divisor = size;
    if (options_.metric == Metric::cosine) {
      double squares = 0;
      for (const double x : mean) squares += x * x;
      divisor = std::sqrt(squares);
    }
    if (!(divisor > 0)) return;  // keeps its center
    for (int64_t i = 0; i < width_; ++i) center(k)[i] = static_cast<float>(mean[i] / divisor);
  });
  fill_empty(sizes);
}

// Moves the centers of empty clusters to the rows that are farthest from theirs, unless all are at their
// center.
void KMeans::fill_empty(std::vector<int64_t>& sizes) {
  const auto empty = std::ranges::count(sizes, 0);
  if (empty == 0) return;
  measure_distances();
  std::vector<int64_t> rows(near_.size());
  std::iota(rows.begin(), rows.end(), 0);
  std::ranges::partial_sort(rows, rows.begin() + empty, [&](int64_t a, int64_t b) {
    const double far_a = near_[a], far_b = near_[b];
    return far_a != far_b ? far_a > far_b : a < b;
  });
  for (int64_t k = 0, next = 0; k < clusters_; ++k) {
    if (sizes[k] != 0) continue;
    const int64_t row = rows[next++];
    if (near_[row] > 0) set_center(k, row);
  }
}

void KMeans::number_clusters() {
  std::vector<int64_t> first(clusters_, vectors_.rows());
  std::vector<int64_t> sizes(clusters_);
  for (int64_t i = vectors_.rows(); i-- > 0;) {
    const size_t cluster = result_.cluster[i];
    first[cluster] = i;
    ++sizes[cluster];
  }
  std::vector<int32_t> order(clusters_), number(order.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](int32_t a, int32_t b) {
    return sizes[a] != sizes[b] ? sizes[a] > sizes[b] : first[a] < first[b];
  });
  for (size_t i = 0; i < order.size(); ++i) {
    number[order[i]] = i;
    result_.sizes.push_back(sizes[order[i]]);
  }
  for (const int32_t cluster : order)
    result_.centers.insert(result_.centers.end(), center(cluster), center(cluster) + width_);
  for (int32_t& cluster : result_.cluster) cluster = number[cluster];
}

void KMeans::rank_rows() {
  std::vector<int64_t> rows(result_.cluster.size());
  std::iota(rows.begin(), rows.end(), 0);
  std::ranges::sort(rows, [&](int64_t a, int64_t b) {
    if (result_.cluster[a] != result_.cluster[b]) return result_.cluster[a] < result_.cluster[b];
    return result_.distance[a] != result_.distance[b] ? result_.distance[a] < result_.distance[b] : a < b;
  });
  result_.rank.resize(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    const size_t row = rows[i];
    const bool follows = i > 0 && result_.cluster[rows[i - 1]] == result_.cluster[row];
    result_.rank[row] = follows ? result_.rank[rows[i - 1]] + 1 : 1;
  }
}

KMeansClustering KMeans::run() {
  start();
  while (assign() > 0 && ++result_.iterations < options_.most_iterations) move_centers();
  result_.distance.resize(near_.size());
  pool_.run_grid(vectors_.blocks(), [&](int64_t b, int thread) {
    const float* row = vectors_.block(b, blocks_[thread]);
    const int64_t end = std::min(vectors_.rows(), (b + 1) * kBlock);
    for (int64_t i = b * kBlock; i < end; ++i, row += width_) {
      const double value = value_of(options_.metric, numbers(center(result_.cluster[i])), row);
      result_.distance[i] = options_.metric == Metric::l2 ? std::sqrt(-value) : std::max(0.0, 1 - value);
    }
  });
  number_clusters();
  rank_rows();
  return std::move(result_);
}

}  // namespace

KMeansClustering k_means(const Vectors& vectors, const KMeansOptions& options, Pool& pool) {
  return KMeans(vectors, options, pool).run();
}

}  // namespace bert::search
