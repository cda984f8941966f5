// Training examples for classify, regress and multilabel: a text or a pair, and its label.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "examples/example.h"
#include "examples/labels.h"
#include "features/features.h"

namespace bert::examples {

struct SentenceExample : Example {
  int32_t label = 0;           // classify: id of the class
  double value = 0;            // regress: finite as a float
  std::vector<float> targets;  // multilabel: 0 or 1 for each label
};

enum class SentenceTask { classify, regress, multilabel };

class SentenceReader : public ExampleReader {
 public:
  // regress ignores `labels`. Empty labels, and for multilabel repeated ones, are errors of the record.
  // References must outlive the reader.
  SentenceReader(SentenceTask task, const features::Featurizer& featurizer, std::string label_field,
                 const Labels& labels);

  void read(const io::Fields& fields, const io::Record& record, int64_t epoch,
            Examples& examples) const override;

 private:
  const SentenceTask task_;
  const features::Featurizer& featurizer_;
  const std::string label_field_;
  const Labels& labels_;
};

}  // namespace bert::examples
