// What bert-mask does to records: hides tokens of input_ids and writes down where and which.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/random.h"
#include "data/masking.h"
#include "io/filter.h"
#include "io/record_writer.h"
#include "text/tokenizer.h"

namespace bert::data {

struct MaskOptions {
  MaskRule rule;
  uint64_t seed = 0;
  uint64_t epoch = 0;  // another epoch hides other tokens
  std::vector<std::string> drop;
};

// The numbers that hide tokens of a record: of the seed, the epoch and, where the record has both, its
// document and instance, else its place in the input.
Random mask_random(const io::Fields& fields, int64_t place, uint64_t seed, uint64_t epoch);

// Replaces input_ids, and tokens where the record has these; adds masked_lm_positions and masked_lm_ids,
// hidden by mask_random. Records without a token that could be hidden leave with empty arrays, and are
// counted at the end.
class MaskFilter : public io::Filter {
 public:
  // `tokenizer` and `log` outlive the filter.
  MaskFilter(const text::Tokenizer& tokenizer, MaskOptions options, Log& log);

  void prepare(const io::Fields& fields, io::Record& record) const override;
  void finish(io::Record& record, std::string& out) const override;
  void end(std::string& out) override;

 private:
  struct Prepared;
  bool rewrites_tokens(const io::Fields& fields, size_t length) const;

  const text::Tokenizer& tokenizer_;
  const MaskOptions options_;
  const Masker masker_;
  const io::RecordWriter writer_;
  Log& log_;
  mutable std::atomic<int64_t> unmasked_ = 0;  // records with nothing hidden
};

}  // namespace bert::data
