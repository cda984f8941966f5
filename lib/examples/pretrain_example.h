// Pre-training examples from records of bert-nsp-pairs and bert-mask (Devlin et al. 2018, section 3.1).
//
//   input_ids, token_type_ids (absent: all 0)
//   masked_lm_positions, masked_lm_ids    as written by bert-mask
//   labels, instead                       as in Hugging Face: -100 for tokens that are not predicted
//   none of these                         masked here, as by bert-mask --epoch K, differently in each epoch
//
// For a causal model, bert-mask --causal writes the positions that predict the next tokens, and the token of
// a label is predicted at the position before it, as in Hugging Face.
//
//   next_sentence_label                   0 or 1, in all records or in none
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/random.h"
#include "corpus/mask_filter.h"
#include "corpus/masking.h"
#include "examples/example.h"
#include "text/tokenizer.h"

namespace bert::examples {

struct PretrainExample : Example {
  std::vector<int32_t> positions;  // of the masked tokens in ids, ascending
  std::vector<int32_t> gold;       // original ids, one for each position
  Random chance{0};                // for replaced: what the masked tokens are filled from
  std::optional<int32_t> next;     // 1: the second part is random (or both are swapped)

  bool has_next_sentence_label() const override { return next.has_value(); }
  void add_input(Checksum& checksum) const override;
};

struct PretrainLimits {
  int64_t max_length;  // in tokens; more are an Error of the record
  int64_t types;       // token types of the model; types must be in [0, types); 0: any
};

// Whether the record says which tokens are predicted.
bool is_masked(const io::Fields& fields);

class PretrainReader : public ExampleReader {
 public:
  // `tokenizer` must outlive this object. Only the rule and seed of `mask` are used.
  // With Target::next, the model is causal.
  PretrainReader(const text::Tokenizer& tokenizer, const corpus::MaskOptions& mask, PretrainLimits limits);

  void read(const io::Fields& fields, const io::Record& record, int64_t epoch,
            Examples& examples) const override;
  void check(const Outline& example) override;  // all or no records must have next_sentence_label

 private:
  bool causal() const { return masker_.rule().target == corpus::MaskRule::Target::next; }
  void check_unmasked(const PretrainExample& example) const;
  void read_masked(const io::Fields& fields, const io::Record& record, int64_t epoch,
                   PretrainExample& example) const;

  const text::Tokenizer& tokenizer_;
  const corpus::Masker masker_;
  const uint64_t seed_;
  const PretrainLimits limits_;
  std::string first_, first_labelled_;  // first record without and with a label
};

}  // namespace bert::examples
