// Training examples for multiple choice (Devlin et al. 2018, section 4.4): a text, an optional question,
// choices, and the index of the correct one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/example.h"
#include "data/features.h"

namespace bert::data {

// One sequence for each choice. The number of choices may vary.
struct ChooseExample : Example {
  std::vector<size_t> lengths;  // of the sequences
  int32_t label = 0;            // index of the correct choice

  std::vector<TokenSequence> sequences() const override;
};

class ChooseReader : public ExampleReader {
 public:
  // `featurizer` must use Overflow::truncate, so that each choice has one sequence, and outlive the reader.
  ChooseReader(const Featurizer& featurizer, std::string label_field);

  void read(const io::Fields& fields, const io::Record& record, int64_t epoch,
            Examples& examples) const override;

 private:
  const Featurizer& featurizer_;
  const std::string label_field_;
};

}  // namespace bert::data
