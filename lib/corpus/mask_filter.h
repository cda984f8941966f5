// bert-mask: masks tokens of input_ids and records their positions and original ids.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/random.h"
#include "corpus/masking.h"
#include "io/filter.h"
#include "text/tokenizer.h"

namespace bert::corpus {

struct MaskOptions {
  MaskRule rule;
  uint64_t seed = 0;
  uint64_t epoch = 0;  // each epoch masks different tokens
  io::DropList drop;
};

// Random stream for masking a record: depends on the seed, the epoch and, if the record has both, its
// document and instance, otherwise its place in the input.
Random mask_random(const io::Fields& fields, int64_t place, uint64_t seed, uint64_t epoch);
// Another stream, to fill the masked tokens of a record with samples.
Random fill_random(const io::Fields& fields, int64_t place, uint64_t seed, uint64_t epoch);

// Masks with mask_random. Replaces input_ids, and tokens if present; adds masked_lm_positions and
// masked_lm_ids. Records without maskable tokens get empty arrays and are counted in a message at the end.
class MaskFilter : public io::Filter {
 public:
  // `tokenizer` and `log` must outlive the filter.
  MaskFilter(const text::Tokenizer& tokenizer, MaskOptions options, Log& log);

  void prepare(const io::Fields& fields, io::Record& record) const override;
  void finish(io::Record& record, io::Output& out) const override;
  void end(io::Output& out) override;

 private:
  struct Prepared;

  const text::Tokenizer& tokenizer_;
  const MaskOptions options_;
  const Masker masker_;
  Log& log_;
  mutable std::atomic<int64_t> unmasked_ = 0;  // records without masked tokens
};

}  // namespace bert::corpus
