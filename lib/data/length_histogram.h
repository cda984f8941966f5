// How often each length occurs, in bounded memory: exact below 1024, then in steps of 1/32 of a power of two,
// so that a bucket's ends differ by about 3 %.
#pragma once

#include <cstdint>
#include <vector>

namespace bert::data {

class LengthHistogram {
 public:
  struct Bucket {
    int64_t first = 0, last = 0;  // lengths, both included
    int64_t count = 0;
  };

  void add(int64_t length);
  void merge(const LengthHistogram& other);

  int64_t count() const { return count_; }
  int64_t sum() const { return sum_; }
  int64_t min() const { return min_; }  // 0 when empty, like max
  int64_t max() const { return max_; }

  // The length that `per_mille` of 1000 are not longer than (nearest rank); above 1023 the last of its
  // bucket, at most max(). 0 when empty.
  int64_t quantile(int per_mille) const;

  std::vector<Bucket> buckets() const;  // those that are not empty, ascending

 private:
  std::vector<int64_t> counts_;  // by bucket; grows to the highest one met
  int64_t count_ = 0, sum_ = 0, min_ = 0, max_ = 0;
};

}  // namespace bert::data
