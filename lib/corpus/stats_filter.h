// Statistics of a corpus as one JSON object: text lengths in tokens, and how well the vocabulary fits.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "features/features.h"
#include "io/filter.h"
#include "text/tokenizer.h"

namespace bert::corpus {

// Exact below 1024, then with 32 buckets for each power of two, so that the ends of a bucket differ by about
// 3 %. Memory is bounded.
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

// Counts whole texts, regardless of the limit; with a limit, also counts the texts that exceed it. All counts
// are exact.
class StatsFilter : public io::Filter {
 public:
  StatsFilter(const text::Tokenizer& tokenizer, features::FeatureOptions options);

  void prepare(const io::Fields& fields, io::Record& record) const override;
  void finish(io::Record& record, io::Output& out) const override;
  void end(io::Output& out) override;

 private:
  struct Prepared;
  struct Totals {
    LengthHistogram lengths;  // in tokens, special tokens included
    int64_t tokens = 0, unknown = 0, characters = 0;
    int64_t too_long = 0;
  };
  void append_lengths(std::string& out) const;

  const text::Tokenizer& tokenizer_;
  const int64_t max_length_;
  const features::Featurizer featurizer_;
  mutable std::mutex mutex_;  // guards totals_, which finish updates
  mutable Totals totals_;
};

}  // namespace bert::corpus
