#include "corpus/length_histogram.h"

#include <algorithm>
#include <bit>

namespace bert::corpus {
namespace {

constexpr int64_t kExact = 1024;  // each length below has its own bucket
constexpr int kExactBits = 10;    // log2 of kExact
constexpr int kStepBits = 5;      // 1 << kStepBits buckets for each power of two

// Length 1100 = 10001001100b: the highest bit is bit 10, and the next five bits, 00010b, select the bucket
// 1088 to 1119 of [1024, 2048).
size_t bucket_of(int64_t length) {
  if (length < kExact) return static_cast<size_t>(length);
  const int high = std::bit_width(static_cast<uint64_t>(length)) - 1;
  const int64_t step = (length >> (high - kStepBits)) - (1 << kStepBits);
  return static_cast<size_t>(kExact + ((high - kExactBits) << kStepBits) + step);
}

int64_t first_of(size_t bucket) {
  const auto index = static_cast<int64_t>(bucket);
  if (index < kExact) return index;
  const int64_t above = index - kExact;
  const int high = static_cast<int>(above >> kStepBits) + kExactBits;
  return ((above & ((1 << kStepBits) - 1)) + (1 << kStepBits)) << (high - kStepBits);
}

}  // namespace

void LengthHistogram::add(int64_t length) {
  const size_t bucket = bucket_of(length);
  if (bucket >= counts_.size()) counts_.resize(bucket + 1);
  ++counts_[bucket];
  min_ = count_ == 0 ? length : std::min(min_, length);
  max_ = std::max(max_, length);
  sum_ += length;
  ++count_;
}

void LengthHistogram::merge(const LengthHistogram& other) {
  if (other.count_ == 0) return;
  if (other.counts_.size() > counts_.size()) counts_.resize(other.counts_.size());
  for (size_t i = 0; i < other.counts_.size(); ++i) counts_[i] += other.counts_[i];
  min_ = count_ == 0 ? other.min_ : std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
  sum_ += other.sum_;
  count_ += other.count_;
}

int64_t LengthHistogram::quantile(int per_mille) const {
  const int64_t rank = std::max<int64_t>(1, (count_ * per_mille + 999) / 1000);
  int64_t seen = 0;
  for (size_t i = 0; i < counts_.size(); ++i) {
    seen += counts_[i];
    if (seen >= rank) return std::min(max_, first_of(i + 1) - 1);
  }
  return 0;
}

std::vector<LengthHistogram::Bucket> LengthHistogram::buckets() const {
  std::vector<Bucket> buckets;
  for (size_t i = 0; i < counts_.size(); ++i)
    if (counts_[i] > 0) buckets.push_back({first_of(i), first_of(i + 1) - 1, counts_[i]});
  return buckets;
}

}  // namespace bert::corpus
