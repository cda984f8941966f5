// Training examples for classify, regress and multilabel: a text or a pair, and its label.
#pragma once

#include <cstdint>
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
  // What a teacher predicts: a probability for each label, or a number; empty: nothing is known.
  std::vector<float> soft;
};

// Where examples have their labels from: also from a teacher, or, instead of gold labels, from it alone.
enum class SoftLabels { none, besides, alone };

// Reads the label of a record: a class, a number or a set of classes. Empty labels, and repeated ones of a
// set, are errors of the record.
using ReadLabel = void(const io::Fields& fields, const std::string& field, const Labels& labels,
                       SentenceExample& example);
ReadLabel read_class, read_value, read_label_set;

class SentenceReader : public ExampleReader {
 public:
  // References must outlive the reader. `sums`: of the scores of each record; may be nullptr.
  SentenceReader(ReadLabel* read_label, const features::Featurizer& featurizer, std::string label_field,
                 const Labels& labels, SoftLabels soft = SoftLabels::none, LabelRange* sums = nullptr);

  void begin(const io::Fields& fields) override;
  void read(const io::Fields& fields, const io::Record& record, int64_t epoch,
            Examples& examples) const override;

 private:
  ReadLabel* const read_label_;
  const features::Featurizer& featurizer_;
  const std::string label_field_;
  void require_scored(const io::Fields& fields) const;
  void read_soft(const io::Fields& fields, SentenceExample& example) const;
  void read_scores(const io::Fields& fields, SentenceExample& example) const;

  const Labels& labels_;
  const SoftLabels soft_;
  LabelRange* const sums_;
  std::vector<std::string> names_;  // of the scores of the first record, sorted
};

}  // namespace bert::examples
