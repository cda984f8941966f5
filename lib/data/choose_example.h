// Texts with several continuations as training examples (Devlin et al. 2018, section 4.4): text, perhaps
// question, choices, and the index of the right one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/example.h"
#include "data/features.h"

namespace bert::data {

// A sequence for each choice, of any number.
struct ChooseExample : Example {
  std::vector<size_t> lengths;  // of the sequences
  int32_t label = 0;            // the right one

  std::vector<TokenSequence> sequences() const override;
};

class ChooseReader : public ExampleReader {
 public:
  // Of Overflow::truncate: a sequence for each choice. The featurizer outlives the reader.
  ChooseReader(const Featurizer& featurizer, std::string label_field);

  void read(const io::Fields& fields, const io::Record& record, int64_t epoch,
            Examples& examples) const override;

 private:
  const Featurizer& featurizer_;
  const std::string label_field_;
};

}  // namespace bert::data
