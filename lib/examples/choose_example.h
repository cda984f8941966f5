// Training examples for multiple choice (Devlin et al. 2018, section 4.4): a text, an optional question,
// choices, and the index of the correct one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "examples/example.h"
#include "features/features.h"

namespace bert::examples {

// One sequence for each choice. The number of choices may vary.
struct ChooseExample : SequencesExample {
  int32_t label = 0;  // index of the correct choice
};

class ChooseReader : public ExampleReader {
 public:
  // `featurizer` must use features::Overflow::truncate, so that each choice has one sequence, and outlive the
  // reader.
  ChooseReader(const features::Featurizer& featurizer, std::string label_field);

  void read(const io::Fields& fields, const io::Record& record, int64_t epoch,
            Examples& examples) const override;

 private:
  const features::Featurizer& featurizer_;
  const std::string label_field_;
};

}  // namespace bert::examples
