// One JSON object about a whole corpus: how long its texts are in tokens, and how well the vocabulary fits.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "data/features.h"
#include "data/length_histogram.h"
#include "io/filter.h"
#include "text/tokenizer.h"

namespace bert::data {

// Texts are counted whole, whatever the limit; a limit adds how many are longer. All counts are exact.
class StatsFilter : public io::Filter {
 public:
  StatsFilter(const text::Tokenizer& tokenizer, FeatureOptions options);

  void prepare(const io::Fields& fields, io::Record& record) const override;
  void finish(io::Record& record, std::string& out) const override;
  void end(std::string& out) override;

 private:
  struct Prepared;
  struct Totals {
    LengthHistogram lengths;  // in tokens, specials included
    int64_t tokens = 0, unknown = 0, characters = 0;
    int64_t too_long = 0;
  };
  void append_lengths(std::string& out) const;
  void append_histogram(std::string& out) const;

  const text::Tokenizer& tokenizer_;
  const std::optional<int64_t> max_length_;
  const Featurizer featurizer_;
  mutable std::mutex mutex_;  // of totals_, which finish adds to
  mutable Totals totals_;
};

}  // namespace bert::data
