// Training examples for sentence vectors: texts that are compared with each other.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "examples/example.h"
#include "examples/labels.h"
#include "features/features.h"
#include "io/array_file.h"

namespace bert::examples {

// A sequence for each text: anchor, positive or other text of a scored pair, negatives.
struct EmbedExample : SequencesExample {
  bool scored = false;  // has a label
  double label = 0;     // similarity
  // The vector of a teacher, which all texts are to have; empty if there is none.
  std::vector<float> target;
  std::vector<float> scores;  // of a teacher, for the positive and each negative; empty if there are none
  std::vector<float> guide;   // the vectors of a guide for all texts, one after another; or empty
};

// What the records of a run hold. Instead of texts, `input_ids` may have an array for each, in this order.
enum class EmbedRecords {
  pairs,     // text, text_pair, optional negatives
  guided,    // the same; a file has the vectors of a guide for these texts
  triplets,  // text, text_pair, negatives
  rated,     // text, text_pair, negatives, scores
  scored,    // text, text_pair, label
  cosines,   // the same with a label from -1 to 1, the cosine wanted
  texts,     // text alone, compared with itself (SimCSE, Gao et al. 2021): dropout makes the difference
  dev,       // scored if they have a label, otherwise pairs
  taught,    // text and a teacher's vector; optional text_pair, to have the same vector
  // For a dev set besides taught records: taught if a file has the vectors, scored pairs if they have a
  // label, taught if they have an `embedding`, otherwise pairs.
  taught_dev,
  rated_dev,  // as dev; pairs may have scores
};

// Where the vectors of a teacher or a guide are.
struct TeacherVectors {
  const io::ArrayFile* file = nullptr;  // nullptr: the field `embedding`
  int64_t width = 0;                    // of all
  int64_t rows = 1;                     // of each record
};

// How the first text of a record becomes a sequence, if not as the others do.
struct QueryTexts {
  const features::Featurizer* featurizer = nullptr;  // nullptr: as the others
  std::function<void(features::Features&)> expand = {};
  bool looked_up = false;  // the network does not read it
};

class EmbedReader : public ExampleReader {
 public:
  // The featurizers must use features::Overflow::truncate and outlive the reader, as `range` and the
  // teacher's file must, unless they are null.
  EmbedReader(EmbedRecords records, const features::Featurizer& featurizer, std::string label_field,
              LabelRange* range = nullptr, TeacherVectors teacher = {}, QueryTexts queries = {});

  void begin(const io::Fields& fields) override { kind_of(fields); }
  void read(const io::Fields& fields, const io::Record& record, int64_t epoch,
            Examples& examples) const override;

 private:
  // What an example is made of.
  enum class Kind { unknown, compared, scored, taught };

  void add_query(features::Features features, EmbedExample& example) const;
  void add_texts(const io::Fields& fields, Kind kind, EmbedExample& example) const;
  void add_ids(const io::Fields& fields, Kind kind, EmbedExample& example) const;
  Kind kind_of(const io::Fields& fields) const;
  Kind kind_in_dev_set(const io::Fields& fields) const;
  void read_scores(const io::Fields& fields, EmbedExample& example) const;
  std::vector<float> guide_of(const io::Record& record, int64_t texts) const;
  std::vector<float> target_of(const io::Fields& fields, const io::Record& record) const;

  const EmbedRecords records_;
  const features::Featurizer& featurizer_;
  const std::string label_field_;
  LabelRange* const range_;
  const TeacherVectors teacher_;
  const QueryTexts queries_;
  mutable std::atomic<Kind> kind_ = Kind::unknown;  // of the dev set: as its first record
};

// Whether the record has a second text.
bool has_pair(const features::Featurizer& featurizer, const io::Fields& fields);
// Whether the record has a vector in its field `embedding`.
bool has_embedding(const io::Fields& fields);
// Whether the record has a value in this field: text, or JSON other than null.
bool has_value(const io::Fields& fields, std::string_view field);

}  // namespace bert::examples
