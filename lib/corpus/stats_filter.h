// Statistics of a corpus as one JSON object: text lengths in tokens, and how well the vocabulary fits.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "corpus/length_histogram.h"
#include "features/features.h"
#include "io/filter.h"
#include "text/tokenizer.h"

namespace bert::corpus {

// Counts whole texts, regardless of the limit; with a limit, also counts the texts that exceed it. All counts
// are exact.
class StatsFilter : public io::Filter {
 public:
  StatsFilter(const text::Tokenizer& tokenizer, features::FeatureOptions options);

  void prepare(const io::Fields& fields, io::Record& record) const override;
  void finish(io::Record& record, std::string& out) const override;
  void end(std::string& out) override;

 private:
  struct Prepared;
  struct Totals {
    LengthHistogram lengths;  // in tokens, special tokens included
    int64_t tokens = 0, unknown = 0, characters = 0;
    int64_t too_long = 0;
  };
  void append_lengths(std::string& out) const;

  const text::Tokenizer& tokenizer_;
  const std::optional<int64_t> max_length_;
  const features::Featurizer featurizer_;
  mutable std::mutex mutex_;  // guards totals_, which finish updates
  mutable Totals totals_;
};

}  // namespace bert::corpus
