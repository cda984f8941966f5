// Training examples for sentence vectors: texts that are compared with each other.
#pragma once

#include <atomic>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "examples/example.h"
#include "features/features.h"

namespace bert::examples {

// A sequence for each text: anchor, positive or other text of a scored pair, negatives.
struct EmbedExample : SequencesExample {
  bool scored = false;  // has a label
  double label = 0;     // similarity
};

// What the records of a run hold. Instead of texts, `input_ids` may have an array for each, in this order.
enum class EmbedRecords {
  pairs,     // text, text_pair, optional negatives
  triplets,  // text, text_pair, negatives
  scored,    // text, text_pair, label
  cosines,   // the same with a label from -1 to 1, the cosine wanted
  texts,     // text alone, compared with itself (SimCSE, Gao et al. 2021): dropout makes the difference
  dev,       // scored if they have a label, otherwise pairs
};

// The range of the labels that were read. Any thread may add one.
class LabelRange {
 public:
  void add(double label);
  double least() const { return least_; }
  double most() const { return most_; }

 private:
  std::atomic<double> least_ = HUGE_VAL, most_ = -HUGE_VAL;
};

class EmbedReader : public ExampleReader {
 public:
  // `featurizer` must use features::Overflow::truncate and outlive the reader, as `range` must, unless it is
  // null.
  EmbedReader(EmbedRecords records, const features::Featurizer& featurizer, std::string label_field,
              LabelRange* range = nullptr);

  void begin(const io::Fields& fields) override { scored(fields); }
  void read(const io::Fields& fields, const io::Record& record, int64_t epoch,
            Examples& examples) const override;

 private:
  void add_texts(const io::Fields& fields, EmbedExample& example) const;
  void add_ids(const io::Fields& fields, EmbedExample& example) const;
  bool scored(const io::Fields& fields) const;

  const EmbedRecords records_;
  const features::Featurizer& featurizer_;
  const std::string label_field_;
  LabelRange* const range_;
  enum class Labels { unknown, none, all };
  mutable std::atomic<Labels> labels_ = Labels::unknown;  // of the dev set: as its first record
};

// Whether the record has a second text.
bool has_pair(const features::Featurizer& featurizer, const io::Fields& fields);
// Whether the record has a value in this field: text, or JSON other than null.
bool has_value(const io::Fields& fields, std::string_view field);

}  // namespace bert::examples
