// Records of bert-nsp-pairs and bert-mask as examples of pre-training (Devlin et al. 2018, section 3.1).
//
//   input_ids, token_type_ids (absent: all 0)
//   masked_lm_positions, masked_lm_ids    as bert-mask writes them
//   labels, instead                       as Hugging Face has them: -100 where nothing is asked
//   none of these                         hidden here, as bert-mask --epoch K hides: each epoch others
//   next_sentence_label                   0 or 1, in all records or in none
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/example.h"
#include "data/mask_filter.h"
#include "data/masking.h"
#include "text/tokenizer.h"

namespace bert::data {

struct PretrainExample : Example {
  std::vector<int32_t> positions;  // of the hidden tokens in ids, ascending
  std::vector<int32_t> gold;       // what stood there; as many
  std::optional<int32_t> next;     // 1: the second part is random (or with the first one swapped)
};

struct PretrainLimits {
  int64_t max_length;  // tokens; more are an Error of the record
  int64_t types;       // of the model; token types are [0, types)
};

class PretrainReader : public ExampleReader {
 public:
  // `tokenizer` outlives this object. Of `mask` rule and seed count.
  PretrainReader(const text::Tokenizer& tokenizer, const MaskOptions& mask, PretrainLimits limits);

  void read(const io::Fields& fields, const io::Record& record, int64_t epoch,
            Examples& examples) const override;
  void check(const Example& example) override;  // records with and without next_sentence_label do not mix

 private:
  void read_hidden(const io::Fields& fields, const io::Record& record, int64_t epoch,
                   PretrainExample& example) const;

  const text::Tokenizer& tokenizer_;
  const Masker masker_;
  const uint64_t seed_;
  const PretrainLimits limits_;
  std::string first_, first_labelled_;  // where records without and with a label were met first
};

}  // namespace bert::data
