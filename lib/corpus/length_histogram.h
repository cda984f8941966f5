// Histogram of lengths in bounded memory: exact below 1024, then with 32 buckets for each power of two, so
// that the ends of a bucket differ by about 3 %.
#pragma once

#include <cstdint>
#include <vector>

namespace bert::corpus {

class LengthHistogram {
 public:
  struct Bucket {
    int64_t first = 0, last = 0;  // range of lengths, inclusive
    int64_t count = 0;
  };

  void add(int64_t length);
  void merge(const LengthHistogram& other);

  int64_t count() const { return count_; }
  int64_t sum() const { return sum_; }
  int64_t min() const { return min_; }  // 0 if empty, as is max
  int64_t max() const { return max_; }

  // The `per_mille`/1000 quantile (nearest rank). Above 1023, the upper end of its bucket, at most max(). 0
  // if empty.
  int64_t quantile(int per_mille) const;

  std::vector<Bucket> buckets() const;  // nonempty buckets, ascending

 private:
  std::vector<int64_t> counts_;  // by bucket; grows as needed
  int64_t count_ = 0, sum_ = 0, min_ = 0, max_ = 0;
};

}  // namespace bert::corpus
